package dev.muster.simulator.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.muster.policy.yaml.FileProblem;
import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.JsonCells;
import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.file.MeasuredText;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The format of Muster's own traces: JSON Lines with a header and one job per line.
///
/// Jobs are in order of submission.
public final class MusterTrace implements TraceFormat {
  private static final Instant EARLIEST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  /// The format version in the header.
  static final String VERSION = "muster-trace/v1";

  static final JsonMapper JSON = JsonCells.STRICT;

  @Override
  public String name() {
    return "muster";
  }

  @Override
  public boolean recognises(FileHead head) {
    return head.firstLine().startsWith("{") && head.firstLine().contains("\"muster-trace/");
  }

  @Override
  public boolean hasWorkers() {
    return true;
  }

  @Override
  public Trace open(InputFile source, TraceOptions options) {
    MeasuredText lines = source.measured();
    try {
      return begun(source, options, lines);
    } catch (MalformedFile | IOException failed) {
      try {
        lines.reader().close();
      } catch (IOException late) {
        failed.addSuppressed(late);
      }
      throw failed instanceof MalformedFile bad ? bad : source.unreadable((IOException) failed);
    }
  }

  private static Trace begun(InputFile source, TraceOptions options, MeasuredText lines)
      throws IOException {
    String first = lines.reader().readLine();
    JsonNode header = JsonCells.parse(source, 1, first == null ? "" : first);
    String version = header.path("format").asText();
    if (!version.equals(VERSION)) {
      throw at(
          source, "format", "unknown version \"%s\"; supported: %s.".formatted(version, VERSION));
    }
    List<String> notes = new ArrayList<>();
    header.path("notes").forEach(note -> notes.add(note.asText()));
    Begin begin = new Begin(start(source, header), notes);
    return new ReadAhead(new MusterJobs(source, options.skipBad(), lines, begin));
  }

  private static Instant start(InputFile source, JsonNode header) {
    String start = header.path("start").asText();
    try {
      Instant read = start.isEmpty() ? Instant.EPOCH : Instant.parse(start);
      if (read.isBefore(EARLIEST) || read.isAfter(LATEST)) {
        throw at(source, "start", "\"%s\" is not in the years 0 to 9999.".formatted(start));
      }
      return read;
    } catch (DateTimeException _) {
      throw at(
          source, "start", "\"%s\" is not a time such as 2026-11-01T00:00:00Z.".formatted(start));
    }
  }

  private static MalformedFile at(InputFile source, String field, String message) {
    return new MalformedFile(new FileProblem(source.file(), 1, 1, field, message));
  }

  /// The content of the header.
  record Begin(Instant start, List<String> notes) {}
}
