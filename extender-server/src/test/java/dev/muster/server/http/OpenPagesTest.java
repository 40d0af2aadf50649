package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.http.access.PageAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Pages without token on loopback are for programs of this machine, not for web pages.
class OpenPagesTest extends HttpFrontScene {
  OpenPagesTest() throws IOException {}

  @Override
  HttpDependencies parts() {
    return super.parts().reviewing(PageAccess.open("127.0.0.1"));
  }

  private String status(String path, String host) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
      socket
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                  .formatted(path, host)
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return answer.substring(9, 12);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"127.0.0.1:8888", "localhost:8888", "LOCALHOST", "127.8.9.10", "[::1]:8888"})
  void hosts_of_loopback_are_answered(String host) throws Exception {
    assertThat(status("/api/v1/gangs", host)).isEqualTo("200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"evil.example", "127.0.0.1.evil.example:8888", "10.0.0.1"})
  void other_hosts_are_refused(String host) throws Exception {
    assertThat(status("/api/v1/gangs", host)).isEqualTo("403");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/changes", "/api/v1/changes"})
  void web_pages_and_streams_refuse_them_too(String path) throws Exception {
    assertThat(status(path, "evil.example")).isEqualTo("403");
  }

  @Test
  void open_server_on_other_addresses_takes_any_host() {
    assertThat(PageAccess.open("0.0.0.0")).isSameAs(PageAccess.OPEN);
  }
}
