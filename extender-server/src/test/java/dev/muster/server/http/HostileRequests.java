package dev.muster.server.http;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The requests of [HostileConnections], as bytes.
final class HostileRequests {
  static final String PAGE = "GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\n\r\n";

  static final String METRICS = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";

  static final String SHORT = "GET /x HTTP/1.1\r\nHost:x\r\n\r\n";

  static final String CHUNKED_HEAD =
      "POST /webhook/hide-gpus/pods HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

  static final String BIG_HEAD =
      "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n";

  /// The requests in one result of [#http2].
  static final int HTTP2_REQUESTS = 500;

  private HostileRequests() {}

  static byte[] post(String path, String body) {
    return ("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(path, body.length())
            + body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  static byte[] bigCall(String pod) {
    String names =
        IntStream.range(0, 60_000)
            .mapToObj(i -> "\"gpu-node-%05d\"".formatted(i))
            .collect(Collectors.joining(","));
    return post("/scheduler/filter", HttpFrontScene.args(pod, names));
  }

  /// A debug container is added to a pod that has many. The review has almost as many tokens as are
  /// allowed for one pod.
  static byte[] hostileReview() {
    String after = String.join(",", Collections.nCopies(20_000, "{\"name\":\"a\"}"));
    String before = "{},".repeat(9_900) + "\"%s\"".formatted("a".repeat(700_000));
    return post(
        "/webhook/hide-gpus/pods",
        "{\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"u\",\"operation\":\"UPDATE\",\"subResource\":\"ephemeralcontainers\",\"namespace\":\"ml\",\"object\":{\"spec\":{\"ephemeralContainers\":[%s]}},\"oldObject\":{\"spec\":{\"ephemeralContainers\":[%s]}}}}"
            .formatted(after, before));
  }

  /// Returns what a client of HTTP/2 sends first: the preface, and settings that change nothing.
  static byte[] http2Begin() {
    return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII);
  }

  /// Returns requests of `/`, each of 12 bytes: a frame of headers (RFC 9113) whose three fields
  /// are in the static table (RFC 7541: `GET`, `/`, `https`).
  ///
  /// @param first number of the first stream, odd
  static byte[] http2(int first) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream frames = new DataOutputStream(bytes);
    for (int i = 0; i < HTTP2_REQUESTS; i++) {
      frames.write(new byte[] {0, 0, 3, 1, 5});
      frames.writeInt(first + 2 * i);
      frames.write(new byte[] {(byte) 0x82, (byte) 0x84, (byte) 0x87});
    }
    return bytes.toByteArray();
  }
}
