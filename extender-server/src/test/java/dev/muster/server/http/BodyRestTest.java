package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A body that does not matter for the answer is not read to its end.
@Timeout(60)
class BodyRestTest extends HttpFrontScene {
  private static final long MUCH = 1L << 30; // bytes, more than sockets buffer

  BodyRestTest() throws IOException {}

  private Socket send(String head) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port());
    socket.setSoTimeout(30_000);
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\r'; c = in.read()) {
      line.append((char) c);
    }
    return line.toString();
  }

  /// Returns how much the server takes, until it closes the connection.
  private static long sent(Socket socket) {
    byte[] part = new byte[1 << 16];
    long sent = 0;
    try {
      OutputStream out = socket.getOutputStream();
      for (; sent < MUCH; sent += part.length) {
        out.write(part);
      }
    } catch (IOException _) {
      return sent;
    }
    return sent;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /scheduler/filter HTTP/1.1\r\nContent-Type: text/plain",
        "POST /nowhere HTTP/1.1\r\nContent-Type: application/json",
        "PUT /scheduler/filter HTTP/1.1\r\nContent-Type: application/json",
        "POST /scheduler/filter HTTP/1.1\r\nContent-Type: application/json",
        "GET /healthz HTTP/1.1\r\nContent-Type: application/json",
        "GET /api/v1/gangs HTTP/1.1\r\nContent-Type: application/json"
      })
  void endless_body_is_answered_and_then_ended(String head) throws IOException {
    try (Socket socket = send(head + "\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n")) {
      assertThat(line(socket.getInputStream())).startsWith("HTTP/1.1 ");
      assertThat(sent(socket)).isLessThan(MUCH);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /scheduler/filter HTTP/1.1\r\nContent-Type: text/plain",
        "POST /nowhere HTTP/1.1\r\nContent-Type: application/json",
        "GET /healthz HTTP/1.1\r\nContent-Type: application/json"
      })
  void connection_goes_on_after_a_short_body(String head) throws Exception {
    try (Socket socket = send(head + "\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")) {
      InputStream in = socket.getInputStream();
      assertThat(line(in)).startsWith("HTTP/1.1 ");
      HostileConnections.pause(1_500); // longer than a refused caller may stay
      in.skipNBytes(in.available());
      socket
          .getOutputStream()
          .write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(line(in)).isEqualTo("HTTP/1.1 200 OK");
    }
  }

  /// Each chunk takes time to decode, however short it is.
  @Test
  void connection_ends_after_many_small_chunks() throws Exception {
    String chunks = "1\r\n \r\n".repeat(2_000) + "0\r\n\r\n";
    String head = "POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    try (Socket socket = send(head + chunks + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")) {
      String answers =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answers).startsWith("HTTP/1.1 404 ").doesNotContain("HTTP/1.1 200 ");
    }
  }
}
