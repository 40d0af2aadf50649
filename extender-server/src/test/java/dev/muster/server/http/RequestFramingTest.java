package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A request whose end two readers could see at different places is refused, and its connection is
/// closed. Otherwise a proxy before Muster forwards one request, and Muster reads two.
class RequestFramingTest extends HttpFrontScene {
  RequestFramingTest() throws IOException {}

  @Test
  void chunked_body_is_answered() throws Exception {
    assertThat(answer("Transfer-Encoding: chunked")).startsWith("HTTP/1.1 200 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Transfer-Encoding: chunked, xchunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: xchunked, chunked, gzip",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: xchunked",
        "Transfer-Encoding: chunked,\r\n xchunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 6",
        "Content-Length: +5",
        "Content-Length : 5",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding:\u000bchunked"
      })
  void body_of_doubtful_length_is_refused(String headers) throws Exception {
    assertThat(answer(headers)).startsWith("HTTP/1.1 400 ").doesNotContain("HTTP/1.1 200");
  }

  /// Returns all that the server sends before it closes the connection, or for the first request
  /// alone if it does not.
  private String answer(String headers) throws IOException {
    String body = args("w0", "\"a\"");
    String chunks = "%x\r\n%s\r\n0\r\n\r\n".formatted(body.length(), body);
    String last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
      socket.setSoTimeout(30_000);
      String head =
          "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
      socket
          .getOutputStream()
          .write((head + headers + "\r\n\r\n" + chunks + last).getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
