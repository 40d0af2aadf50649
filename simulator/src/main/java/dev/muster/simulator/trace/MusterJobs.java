package dev.muster.simulator.trace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.file.JsonCells;
import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.file.MeasuredText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The jobs of one of Muster's own traces, read on demand.
final class MusterJobs implements Trace {
  private final InputFile source;
  private final MeasuredText lines;
  private final boolean skipBad;
  private final MusterTrace.Begin header;
  private final JobJson jobs = new JobJson();
  private final Set<String> ids = new HashSet<>();
  private int line = 1;
  private long skipped;
  private long latest;
  private @Nullable TraceJob ahead;

  /// Reads the jobs.
  ///
  /// @param lines the lines after the header
  MusterJobs(InputFile source, boolean skipBad, MeasuredText lines, MusterTrace.Begin header) {
    this.source = source;
    this.lines = lines;
    this.skipBad = skipBad;
    this.header = header;
  }

  @Override
  public Instant start() {
    return header.start();
  }

  @Override
  public List<String> assumptions() {
    return header.notes();
  }

  @Override
  public long skipped() {
    return skipped;
  }

  @Override
  public OptionalDouble share() {
    return OptionalDouble.of(lines.share());
  }

  @Override
  public boolean hasNext() {
    while (ahead == null) {
      Optional<String> text = nextLine();
      if (text.isEmpty()) {
        return false;
      }
      try {
        ahead = job(text.get());
      } catch (MalformedFile bad) {
        if (!skipBad) {
          throw bad;
        }
        skipped++;
      }
    }
    return true;
  }

  @Override
  public TraceJob next() {
    if (!hasNext() || ahead == null) {
      throw new NoSuchElementException("No more jobs.");
    }
    TraceJob job = ahead;
    ahead = null;
    return job;
  }

  private Optional<String> nextLine() {
    try {
      String text = lines.reader().readLine();
      while (text != null && text.isBlank()) {
        line++;
        text = lines.reader().readLine();
      }
      line++;
      return Optional.ofNullable(text);
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }

  private TraceJob job(String text) {
    JsonNode object = JsonCells.parse(source, line, text);
    InputRow row = new InputRow(source.file(), line, new JsonCells(object, text));
    TraceJob job = jobs.job(row, object);
    if (job.submitMillis() < latest) {
      throw row.fault(
          "submit_ms",
          "%d is before the previous job (%d); lines must be sorted by submit_ms."
              .formatted(job.submitMillis(), latest));
    }
    if (!ids.add(job.id())) {
      throw row.fault("id", "duplicate job \"%s\".".formatted(job.id()));
    }
    latest = job.submitMillis();
    return job;
  }

  @Override
  public void close() {
    try {
      lines.reader().close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
