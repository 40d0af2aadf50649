package dev.muster.server.kube.client;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// An answer of the API server whose body is read piece by piece, in bounded memory.
///
/// An answer may never end: that of a watch, or of a proxy that fails. Nothing here gathers more
/// than [#LONGEST] of it, and what is not read is not received.
public final class ApiStream implements AutoCloseable {
  /// Maximum number of bytes of one line or one body. The API server stores no object above 1.5 MiB
  /// by default.
  static final int LONGEST = 16 << 20;

  /// Maximum number of bytes that are kept of the answer of a write. It is the whole object, of any
  /// size, and nobody reads a large one.
  static final int OUTCOME = 256 << 10;

  private static final int PIECE = 1 << 16;

  private final int code;
  private final InputStream body;
  private final Duration limit;
  private final boolean late;

  /// Bytes that were received and are in no line yet: those from [#start] to [#end].
  private byte[] received = {};

  private int start;
  private int end;

  /// @param limit time limit of [#answer] and [#outcome]
  ApiStream(int code, InputStream body, Duration limit) {
    this(code, body, limit, false);
  }

  private ApiStream(int code, InputStream body, Duration limit, boolean late) {
    this.code = code;
    this.body = body;
    this.limit = limit;
    this.late = late;
  }

  /// Returns the stream of a call without an answer.
  static ApiStream failed(String reason) {
    return failed(reason, false);
  }

  /// Returns the stream of a call whose answer did not begin in time.
  static ApiStream late(Duration limit) {
    return failed("no response within %d ms".formatted(limit.toMillis()), true);
  }

  private static ApiStream failed(String reason, boolean late) {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    return new ApiStream(0, new ByteArrayInputStream(text), Duration.ofSeconds(1), late);
  }

  /// Returns the HTTP status; 0 without an answer.
  public int code() {
    return code;
  }

  /// Returns the body, for a caller that reads no [#line]. It bounds what it keeps of it, and reads
  /// in large pieces.
  public InputStream body() {
    return body;
  }

  /// Closes the stream after the time, unless the returned handle is closed before. A reader that
  /// waits for more of the body fails then.
  public TimeLimit within(Duration time) {
    return new TimeLimit(this, time);
  }

  /// Reads the whole body. A longer one counts as no answer.
  ///
  /// @param most bytes of the body
  ApiCalls.Answer answer(int most) {
    return read(most, false);
  }

  /// Reads how a call ended. A long body is cut, and its rest is not received.
  ApiCalls.Answer outcome() {
    return read(OUTCOME, true);
  }

  private ApiCalls.Answer read(int most, boolean cut) {
    TimeLimit time = within(limit);
    try (time) {
      byte[] text = body.readNBytes(cut ? most : most + 1);
      return text.length <= most
          ? new ApiCalls.Answer(code, new String(text, StandardCharsets.UTF_8), late)
          : new ApiCalls.Answer(0, "the answer is longer than %d bytes".formatted(most), true);
    } catch (IOException _) {
      return time.isOver()
          ? new ApiCalls.Answer(0, "the answer took longer than " + limit, true)
          : new ApiCalls.Answer(0, "the answer broke off");
    }
  }

  /// Returns the next line, without its end; empty if the body ends before the line does.
  ///
  /// @throws IOException if the connection fails
  /// @throws IllegalStateException if the line is too long
  public Optional<byte[]> line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (start < end || receive()) {
      int at = start;
      while (at < end && received[at] != '\n') {
        at++;
      }
      if (line.size() + at - start > LONGEST) {
        throw new IllegalStateException(
            "a line of the answer is longer than %d bytes".formatted(LONGEST));
      }
      line.write(received, start, at - start);
      start = at + 1;
      if (at < end) {
        return Optional.of(line.toByteArray());
      }
    }
    return Optional.empty();
  }

  /// Receives more; false if the body has ended. A large line has millions of bytes, so they are
  /// not read one by one.
  private boolean receive() throws IOException {
    if (received.length == 0) {
      received = new byte[PIECE];
    }
    start = 0;
    end = Math.max(0, body.read(received));
    return end > 0;
  }

  /// Stops receiving. Safe for use by another thread than the reader's.
  @Override
  public void close() {
    try {
      body.close();
    } catch (IOException _) {
      // It has ended already.
    }
  }

  /// The time limit of a stream, in force until it is closed.
  public static final class TimeLimit implements AutoCloseable {
    private final ApiStream stream;
    private final Duration time;
    private CompletableFuture<Void> over = new CompletableFuture<>();

    private TimeLimit(ApiStream stream, Duration time) {
      this.stream = stream;
      this.time = time;
      begin();
    }

    private void begin() {
      var _ =
          over.orTimeout(Math.max(1, time.toMillis()), TimeUnit.MILLISECONDS)
              .exceptionally(_ -> {
                stream.close();
                return null;
              });
    }

    /// Begins the time again, unless it is over.
    void restart() {
      if (over.complete(null)) {
        over = new CompletableFuture<>();
        begin();
      }
    }

    /// True if the time was over before the limit was closed.
    private boolean isOver() {
      return over.isCompletedExceptionally();
    }

    @Override
    public void close() {
      over.complete(null);
    }
  }
}
