package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/// Malformed, too deep and too large requests are refused and do not stop the server.
class HttpRefusalsTest extends HttpFrontScene {
  HttpRefusalsTest() throws IOException {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "\u0000\u0000\u0000\u0000",
        "{\"Pod\":{\"metadata\":{\"name\":\"w0\",\"uid\":",
        "{\"Pod\":\"w0\",\"NodeNames\":[]}",
        "{\"Pod\":{},\"NodeNames\":{\"a\":1}}",
        "{\"Pod\":{},\"NodeNames\":[1e400000000]}",
        "{\"Pod\":{\"\\ud800\":1},\"NodeNames\":[\u0001]}"
      })
  void refuses_broken_bodies(String body) throws Exception {
    for (String path :
        new String[] {
          "/scheduler/filter", "/scheduler/prioritize", "/scheduler/preempt", "/webhook/pods"
        }) {
      HttpResponse<String> answer = post(path, body);
      assertThat(answer.statusCode()).as(path).isEqualTo(400);
      assertThat(answer.body())
          .startsWith("{\"error\":\"The ")
          .endsWith("\"}\n")
          .hasSizeLessThan(600);
      assertThat(answer.body().strip()).doesNotContain("\n");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST /scheduler/filter | Content-Type: application/json~Content-Encoding: gzip | 415 | the encoding gzip. Send JSON",
        "POST /webhook/pods | Content-Type: application/json; charset=UTF-16 | 415 | the encoding UTF-16. Send JSON",
        "POST /scheduler/filter | Content-Type: text/plain | 415 | must be application/json.",
        "POST /scheduler/filter | Content-Type: application/json~Host: y | 400 | has 2 Host headers.",
        "GET /healthz | Host: x | 400 | has 2 Host headers.",
        "GET /%zz | Accept: */* | 400 | its path has a broken escape.",
        "POST /scheduler/filter | Content-Type: application/json~Content-Length: 20971520 | 413 | The maximum is 8388608 bytes.",
        "POST /scheduler/filtre | Content-Type: application/json | 404 | Nothing is served at"
      })
  void refuses_by_the_head_before_the_body_is_asked_for(
      String line, String headers, int status, String told) throws Exception {
    String head =
        "Host: x\r\nExpect: 100-continue\r\nConnection: close\r\n" + headers.replace("~", "\r\n");
    assertThat(answer(line + " HTTP/1.1\r\n" + head + length(headers) + "\r\n\r\n"))
        .startsWith("HTTP/1.1 %d ".formatted(status))
        .contains(told);
  }

  private static String length(String headers) {
    return headers.contains("Content-Length") ? "" : "\r\nContent-Length: 0";
  }

  @Test
  void refuses_a_request_without_host() throws Exception {
    assertThat(answer("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ")
        .contains("The request has 0 Host headers. It needs exactly one.");
  }

  @Test
  void asks_for_the_body_that_it_will_read() throws Exception {
    String head =
        "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json; charset=\"utf-8\"\r\nExpect: 100-continue\r\nContent-Encoding: identity\r\nConnection: close\r\n";
    String body = args("w0", "\"a\"");
    assertThat(answer(head + "Content-Length: %d\r\n\r\n%s".formatted(body.length(), body)))
        .startsWith("HTTP/1.1 100 Continue")
        .contains("HTTP/1.1 200 OK");
  }

  private String answer(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
      socket.setSoTimeout(30_000);
      write(socket.getOutputStream(), request);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void refuses_deep_nesting() throws Exception {
    String deep = "{\"Pod\":" + "{\"a\":".repeat(10_000) + "1" + "}".repeat(10_001);
    String told = "The body is nested deeper than 200 at line 1, column 1004.";
    for (String path : List.of("/scheduler/filter", "/webhook/pods")) {
      HttpResponse<String> answer = post(path, deep);
      assertThat(answer.statusCode()).as(path).isEqualTo(400);
      assertThat(answer.body()).contains(told);
    }
  }

  @Test
  void refuses_bodies_over_the_limit_and_states_the_limit() throws Exception {
    assertThat(firstLine("Content-Length: 20971520", " ".repeat(65_536)))
        .isEqualTo("HTTP/1.1 413 Request Entity Too Large");
    String wide = "{\"Pod\":null,\"NodeNames\":[\"" + "a".repeat(MAX_BODY) + "\"]}";
    assertThat(post("/scheduler/filter", wide).body()).contains("The maximum is 8388608 bytes.");
  }

  @Test
  void refuses_chunked_bodies_over_the_limit() throws Exception {
    String chunk = "100000\r\n" + " ".repeat(1 << 20) + "\r\n";
    assertThat(firstLine("Transfer-Encoding: chunked", chunk.repeat(20)))
        .startsWith("HTTP/1.1 413 ");
  }

  @Test
  void refuses_bodies_in_chunks_of_a_few_bytes() throws Exception {
    assertThat(firstLine("Transfer-Encoding: chunked", "1\r\n \r\n".repeat(2_000)))
        .startsWith("HTTP/1.1 400 ");
  }

  @Test
  void answers_all_requests_that_were_sent_before_the_first_answer() throws Exception {
    int requests = 1_000;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
      socket.setSoTimeout(30_000);
      String last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      String all = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(requests - 1) + last;
      Thread sender = Thread.startVirtualThread(() -> write(outOf(socket), all));
      String answers =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      sender.join();
      assertThat(answers.split("HTTP/1.1 200 ", -1)).hasSize(requests + 1);
    }
  }

  private static OutputStream outOf(Socket socket) {
    try {
      return socket.getOutputStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the first line of the answer to a call, whose body is sent meanwhile.
  private String firstLine(String framing, String body) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
      socket.setSoTimeout(30_000);
      String head =
          "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n\r\n"
              .formatted(framing);
      OutputStream out = socket.getOutputStream();
      out.write(head.getBytes(StandardCharsets.UTF_8));
      Thread sender = Thread.startVirtualThread(() -> write(out, body));
      String line = line(socket.getInputStream());
      sender.join();
      return line;
    }
  }

  private static void write(OutputStream out, String body) {
    try {
      out.write(body.getBytes(StandardCharsets.UTF_8));
    } catch (IOException _) {
      // the server reads no more
    }
  }

  @Test
  void probe_port_suggests_only_paths_that_it_serves() throws Exception {
    ListenOptions probing =
        new ListenOptions("127.0.0.1", 0, MAX_BODY, Optional.empty(), OptionalInt.of(0));
    try (HttpFront other = HttpFront.start(parts(), probing)) {
      URI asked =
          URI.create("http://127.0.0.1:%d/api/v1".formatted(other.probePort().orElseThrow()));
      HttpResponse<String> answer =
          client.send(HttpRequest.newBuilder(asked).build(), HttpResponse.BodyHandlers.ofString());
      assertThat(answer.body()).contains("Did you mean /healthz?");
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\r'; c = in.read()) {
      line.append((char) c);
    }
    return line.toString();
  }

  @Test
  void names_the_right_method_type_and_path() throws Exception {
    assertThat(get("/scheduler/filter").statusCode()).isEqualTo(405);
    assertThat(get("/scheduler/filter").body()).contains("Did you mean POST?");
    assertThat(get("/scheduler/bind").statusCode()).isEqualTo(404);
    assertThat(get("/api/v1/gang").body()).contains("Did you mean /api/v1/gangs?");
    assertThat(get("/api/v1/node").body()).contains("Did you mean /api/v1/nodes?");
    assertThat(get("/api").body()).contains("Did you mean /api/v1/gangs?");
    assertThat(get("/health").body()).contains("Did you mean /healthz?");
    assertThat(get("/filter").body()).contains("Did you mean /scheduler/filter?");
    assertThat(post("/scheduler", "{}").statusCode()).isEqualTo(404);
    assertThat(post("/metrics", "{}").statusCode()).isEqualTo(405);
    HttpRequest form =
        request("/scheduler/filter")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(args("w0", "\"a\"")))
            .build();
    HttpResponse<String> answer = client.send(form, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(answer.body()).contains("application/json");
    HttpRequest untyped =
        request("/scheduler/filter").POST(HttpRequest.BodyPublishers.ofString("{}")).build();
    assertThat(client.send(untyped, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(415);
    HttpRequest charset =
        request("/scheduler/filter")
            .header("Content-Type", "Application/JSON; charset=utf-8")
            .POST(HttpRequest.BodyPublishers.ofString(args("w0", "\"a\"")))
            .build();
    assertThat(client.send(charset, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(200);
  }

  /// A caller that finds a fault could fill the log with it.
  @Test
  @SuppressWarnings("NullAway") // a fault by design
  void fault_is_logged_once_a_minute() throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(HttpRefusals.class);
    lines.start();
    logger.addAppender(lines);
    image.set(null);

    for (int i = 0; i < 3; i++) {
      assertThat(get("/api/v1/gangs?limit=" + (i + 1)).statusCode()).isEqualTo(500);
    }

    logger.detachAppender(lines);
    assertThat(lines.list).hasSize(1);
  }
}
