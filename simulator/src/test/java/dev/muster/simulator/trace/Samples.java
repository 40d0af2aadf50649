package dev.muster.simulator.trace;

import dev.muster.simulator.trace.format.TraceFiles;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/// Sample traces that were made up for these tests.
final class Samples {
  private Samples() {}

  static Path file(String name) {
    try {
      return Path.of(Objects.requireNonNull(Samples.class.getResource(name)).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  static TraceOptions as(String format) {
    return new TraceOptions(Optional.of(format), false, OptionalInt.empty());
  }

  static TraceOptions perWorker(int gpus) {
    return new TraceOptions(Optional.empty(), false, OptionalInt.of(gpus));
  }

  static TraceOptions skippingBad() {
    return new TraceOptions(Optional.empty(), true, OptionalInt.empty());
  }

  static List<TraceJob> jobs(Path file, TraceOptions options) {
    try (Trace trace = TraceFiles.open(file, options)) {
      List<TraceJob> jobs = new ArrayList<>();
      trace.forEachRemaining(jobs::add);
      return jobs;
    }
  }

  /// Every job of the sample in a line: id, submission and run time, members and what they get.
  static List<String> lines(String sample) {
    return jobs(file(sample), TraceOptions.DEFAULT).stream().map(Samples::line).toList();
  }

  static String line(TraceJob job) {
    StringBuilder line = new StringBuilder(job.id());
    line.append(" @").append(job.submitMillis()).append(" for ").append(job.runMillis());
    line.append(": ").append(job.workers()).append('x').append(job.request().gpus());
    append(line, "+", job.request().gpuMilli() == 0 ? "" : "" + job.request().gpuMilli());
    append(line, " cpu ", zeroless(job.request().resources().get("cpu")));
    append(line, " memory ", zeroless(job.request().resources().get("memory") >> 20));
    append(line, " user ", job.user());
    append(line, " queue ", job.queue());
    append(line, " models ", String.join("|", job.constraints().gpus().models()));
    append(
        line, " told ", job.constraints().runtime().map(told -> "" + told.toMillis()).orElse(""));
    append(line, " priority ", zeroless(job.priority()));
    append(line, " work ", job.lineage());
    return line.toString();
  }

  private static String zeroless(long number) {
    return number == 0 ? "" : "" + number;
  }

  private static void append(StringBuilder line, String title, String text) {
    if (!text.isEmpty()) {
      line.append(title).append(text);
    }
  }
}
