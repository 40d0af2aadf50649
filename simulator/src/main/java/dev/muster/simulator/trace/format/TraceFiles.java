package dev.muster.simulator.trace.format;

import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.trace.MusterTrace;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceFormat;
import dev.muster.simulator.trace.TraceOptions;
import java.nio.file.Path;
import java.util.List;

/// Opens traces of every known format, plain or compressed with gzip.
public final class TraceFiles {
  // A format that needs more columns comes before one whose columns are among them.
  private static final List<TraceFormat> FORMATS =
      List.of(
          new MusterTrace(),
          OpenbPods.FORMAT,
          Philly.FORMAT,
          new PhillyAttempts(),
          Helios.FORMAT,
          Acme.FORMAT,
          AcmeConverted.FORMAT,
          Muri.FORMAT,
          Tiresias.FORMAT,
          Pai2020.FORMAT,
          Dlrm2025.FORMAT,
          Spot2026.FORMAT,
          new Swf(),
          new Batsim());

  private TraceFiles() {}

  /// The names of all formats.
  public static List<String> names() {
    return FORMATS.stream().map(TraceFormat::name).toList();
  }

  /// Opens a trace.
  ///
  /// Muster's own traces are read on demand. All others may be out of order: they are read here,
  /// row by row, and sorted.
  ///
  /// @throws MalformedFile if it cannot be read or its format is unknown; for Muster's own traces
  ///   also later, when a job is read
  /// @throws IllegalArgumentException if its format does not support an option, or there is no such
  ///   format
  public static Trace open(Path file, TraceOptions options) {
    InputFile source = new InputFile(file);
    TraceFormat format = format(source, options);
    if (options.gpusPerWorker().isPresent() && format.hasWorkers()) {
      throw new IllegalArgumentException(
          "--gpus-per-worker does not apply to %s: its format %s has the GPUs of each worker."
              .formatted(file, format.name()));
    }
    return format.open(source, options);
  }

  private static TraceFormat format(InputFile source, TraceOptions options) {
    if (options.format().isPresent()) {
      return named(options.format().get());
    }
    FileHead head = source.head();
    return FORMATS.stream()
        .filter(format -> format.recognises(head))
        .findFirst()
        .orElseThrow(() -> unknown(source, head));
  }

  private static TraceFormat named(String name) {
    return FORMATS.stream()
        .filter(format -> format.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "Unknown trace format \"%s\"; known: %s."
                    .formatted(name, String.join(", ", names()))));
  }

  private static MalformedFile unknown(InputFile source, FileHead head) {
    String line = head.firstLine();
    if (line.isEmpty()) {
      return MalformedFile.ofFile(source.file(), "is empty.");
    }
    return MalformedFile.ofFile(
        source.file(),
        "unknown format; it begins \"%s\". Formats (--format): %s."
            .formatted(
                line.length() <= 80 ? line : line.substring(0, 80) + "...",
                String.join(", ", names())));
  }
}
