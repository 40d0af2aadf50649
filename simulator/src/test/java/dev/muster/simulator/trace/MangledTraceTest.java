package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.kit.Mangled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// A damaged trace is read, or refused with the name of its file.
final class MangledTraceTest {
  private static final List<String> SAMPLES =
      List.of(
          "acme-converted.csv",
          "acme.csv",
          "alibaba-v2020.csv",
          "alibaba-v2025.csv",
          "alibaba-v2026.csv",
          "batsim.json",
          "helios.csv",
          "muri.csv",
          "muster.jsonl",
          "nasa-like.swf",
          "openb-short.csv",
          "openb.csv",
          "philly.csv",
          "philly.json",
          "tiresias.csv");

  @Property(tries = 1000)
  void mangled_trace_is_read_or_refused(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    String sample = SAMPLES.get(random.nextInt(SAMPLES.size()));
    Path file = Files.createTempFile("mangled", sample.substring(sample.indexOf('.')));
    try {
      Files.write(file, Mangled.of(Files.readString(Samples.file(sample)), random));
      Samples.jobs(file, random.nextBoolean() ? TraceOptions.DEFAULT : Samples.skippingBad());
    } catch (MalformedFile bad) {
      assertThat(bad).hasMessageStartingWith(file.toString());
    } finally {
      Files.delete(file);
    }
  }
}
