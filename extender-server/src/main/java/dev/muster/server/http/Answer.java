package dev.muster.server.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;

/// A whole HTTP answer.
///
/// @param status the HTTP status
/// @param contentType the media type of the body
/// @param body the body
/// @param outcome a word for the metrics: `ok`, `error`, `refused`
record Answer(int status, String contentType, Bytes body, String outcome) {
  static final String JSON = "application/json";

  /// Bytes that nobody changes any more.
  static final class Bytes {
    private final byte[] bytes;

    private Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    byte[] array() {
      return bytes;
    }
  }

  static Answer json(byte[] body) {
    return new Answer(200, JSON, new Bytes(body), "ok");
  }

  static Answer text(String contentType, String body) {
    return new Answer(200, contentType, new Bytes(body.getBytes(StandardCharsets.UTF_8)), "ok");
  }

  /// A refusal with one line that says why, `{"error":"..."}`.
  static Answer refusal(int status, String problem) {
    String quoted = String.valueOf(JsonStringEncoder.getInstance().quoteAsString(problem));
    byte[] body = "{\"error\":\"%s\"}\n".formatted(quoted).getBytes(StandardCharsets.UTF_8);
    return new Answer(status, JSON, new Bytes(body), "refused");
  }

  Answer as(String otherOutcome) {
    return new Answer(status, contentType, body, otherOutcome);
  }

  Answer withStatus(int other) {
    return new Answer(other, contentType, body, outcome);
  }
}
