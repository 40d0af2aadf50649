package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.trace.format.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A trace reports the share of it that was read.
final class HandedOutTest {
  @TempDir private Path folder;

  private List<Double> shares(Path file) {
    List<Double> shares = new ArrayList<>();
    try (Trace trace = TraceFiles.open(file, TraceOptions.DEFAULT)) {
      while (trace.hasNext()) {
        trace.next();
        shares.add(trace.share().orElseThrow());
      }
    }
    return shares;
  }

  @Test
  void share_of_a_table_is_that_of_its_jobs() throws IOException {
    Path file = folder.resolve("t.csv");
    Files.writeString(file, "job_id,num_gpu,submit_time,duration\n1,1,0,5\n2,1,9,5\n");
    assertThat(shares(file)).containsExactly(0.5, 1.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"t.jsonl", "t.jsonl.gz"})
  void share_of_own_format_is_that_of_the_file(String name) throws IOException {
    Path file = folder.resolve(name);
    try (TraceWriter writer = new TraceWriter(file, Instant.EPOCH, List.of())) {
      for (int i = 0; i < 100_000; i++) {
        String id = Integer.toHexString(i * 0x9E3779B9); // so that it does not shrink to nothing
        GangFactory.Shape shape = new GangFactory(8).ofGpus(1);
        writer.write(JobDraft.of(id, i, 1_000, shape).job());
      }
    }
    List<Double> shares = shares(file);
    assertThat(shares).isSorted().endsWith(1.0);
    assertThat(shares.getFirst()).isLessThan(0.2);
    assertThat(shares.get(50_000)).isBetween(0.4, 0.65);
  }
}
