package dev.muster.deploy.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Only what says that it is the asked page of Muster is taken for it.
class PageProblemTest {
  private final HttpServer server;
  private final String address;
  private String answer = "";
  @TempDir private Path folder;

  PageProblemTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    address = "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  private PageSource direct() {
    return new DirectServer(address, Optional.empty(), Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{\"items\":[]}",
        "{\"apiVersion\":\"v1\",\"kind\":\"WaitingList\",\"items\":[]}",
        "{\"apiVersion\":\"api.muster.dev/v1\",\"kind\":\"GangList\",\"items\":[]}"
      })
  void other_answer_is_refused(String other) {
    answer = other;
    try (PageSource pages = direct()) {
      assertThatThrownBy(() -> pages.get("/api/v1/waiting?limit=500"))
          .isInstanceOf(PageProblem.class)
          .hasMessage(address + " answers, but not as Muster does.");
    }
  }

  @Test
  void list_is_no_page_of_one_gang() {
    answer = "{\"apiVersion\":\"api.muster.dev/v1\",\"kind\":\"GangList\",\"items\":[]}";
    try (PageSource pages = direct()) {
      assertThatThrownBy(() -> pages.get("/api/v1/gangs/ml/a")).isInstanceOf(PageProblem.class);
      assertThat(pages.get("/api/v1/gangs?name=a").path("items")).isEmpty();
    }
  }

  @Test
  void other_answer_behind_the_api_server_is_refused() throws IOException {
    answer = "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[]}";
    Path kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "%s"}}]
            users: [{name: u, user: {token: t}}]
            contexts: [{name: x, context: {cluster: c, user: u}}]
            current-context: x
            """
                .formatted(address));
    try (PageSource pages =
        ClusterServer.open(Optional.of(kubeconfig), new ServiceName("muster-system", "muster"))) {
      assertThatThrownBy(() -> pages.get("/api/v1/nodes"))
          .isInstanceOf(PageProblem.class)
          .hasMessage("The Service muster-system/muster answers, but not as Muster does.");
    }
  }
}
