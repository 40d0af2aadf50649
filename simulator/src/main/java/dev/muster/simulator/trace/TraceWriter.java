package dev.muster.simulator.trace;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/// Writes a trace in Muster's own format (`muster-trace/v1`), compressed when the name ends in
/// `.gz`.
public final class TraceWriter implements Closeable {
  private final Writer out;

  /// Writes the header of the file.
  ///
  /// @param start the instant that submissions count from
  /// @param notes facts about the jobs for the reader, one sentence each
  /// @throws IOException if it cannot be written
  public TraceWriter(Path file, Instant start, List<String> notes) throws IOException {
    this(stream(file), start, notes);
  }

  /// Writes to a stream, which is closed at the end.
  public TraceWriter(OutputStream stream, Instant start, List<String> notes) throws IOException {
    this.out = new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
    ObjectNode header = MusterTrace.JSON.createObjectNode();
    header.put("format", MusterTrace.VERSION).put("start", start.toString());
    ArrayNode said = header.putArray("notes");
    notes.forEach(said::add);
    line(header);
  }

  private static OutputStream stream(Path file) throws IOException {
    OutputStream plain = Files.newOutputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPOutputStream(plain) : plain;
  }

  /// Adds a job; jobs must come in order of submission.
  public void write(TraceJob job) throws IOException {
    line(JobJson.line(job));
  }

  /// Adds a job that really started; jobs must come in order of submission.
  ///
  /// @param startedMillis time of the first start, in milliseconds since the start of the trace
  /// @param endedMillis time of its end
  public void write(TraceJob job, Optional<Long> startedMillis, Optional<Long> endedMillis)
      throws IOException {
    ObjectNode line = JobJson.line(job);
    startedMillis.ifPresent(millis -> line.put(JobJson.MEASURED.getFirst(), millis));
    endedMillis.ifPresent(millis -> line.put(JobJson.MEASURED.getLast(), millis));
    line(line);
  }

  private void line(ObjectNode object) throws IOException {
    out.write(MusterTrace.JSON.writeValueAsString(object));
    out.write('\n');
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
