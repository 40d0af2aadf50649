package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.state.Policies;
import dev.muster.server.http.receive.CertificateRefusals;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/// With a client authority, the extender and the webhook answer only callers with a certificate.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientCertificateTest {
  private static final String PROTECTED = "answers only callers with a certificate";

  private final ServerImages image =
      ServerImages.cluster().train(1).waiting("w0").waiting("w1").promised("w0", "gpu-2");
  private final ServerMetrics metrics = new ServerMetrics(image::state);
  private final TestKeys keys;
  private final Path folder;
  private final Path signers;
  private final HttpFront front;

  ClientCertificateTest(@TempDir Path folder) throws Exception {
    keys = new TestKeys(folder);
    for (String authority : List.of("signer", "stranger")) {
      keys.authority(authority);
      keys.caller(authority + "-caller", authority);
    }
    keys.server("server", "signer");
    keys.caller("late", "signer", "-startdate", "-9d");
    keys.caller("early", "signer", "-startdate", "+9d");
    signers = folder.resolve("ca.crt");
    keys.writeCertificate("signer", signers);
    keys.writeCertificate("server", folder.resolve("tls.crt"));
    keys.writeKey("server", folder.resolve("tls.key"));
    this.folder = folder;
    front = start();
  }

  private HttpFront start() throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            image::state, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    ListenOptions.Tls tls =
        new ListenOptions.Tls(
            folder.resolve("tls.crt"), folder.resolve("tls.key"), 0, Optional.of(signers));
    return HttpFront.start(
        dependencies, new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.of(tls)));
  }

  @BeforeAll
  void isUp() throws Exception {
    assertThat(get("/healthz", keys.context("signer")).body()).isEqualTo("ok\n");
  }

  @AfterAll
  void close() {
    front.close();
    metrics.close();
  }

  private URI secure(String path) {
    return URI.create("https://127.0.0.1:%d%s".formatted(front.tlsPort().orElseThrow(), path));
  }

  private static HttpResponse<String> send(HttpRequest request, SSLContext context)
      throws Exception {
    try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }

  private HttpResponse<String> get(String path, SSLContext context) throws Exception {
    return send(HttpRequest.newBuilder(secure(path)).build(), context);
  }

  private static HttpRequest post(URI address, String body) {
    return HttpRequest.newBuilder(address)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  @Test
  void caller_with_certificate_is_answered() throws Exception {
    String body = HttpFrontScene.args("w0", "\"gpu-1\",\"gpu-2\"");
    HttpResponse<String> answer =
        send(post(secure("/scheduler/filter"), body), keys.context("signer", "signer-caller"));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("\"NodeNames\":[\"gpu-2\"]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/scheduler/filter",
        "/scheduler/prioritize",
        "/scheduler/preempt",
        "/webhook/gate/pods",
        "/webhook/hide-gpus/pods",
        "/webhook/pods"
      })
  void caller_without_certificate_is_refused(String path) throws Exception {
    HttpResponse<String> answer = send(post(secure(path), "{}"), keys.context("signer"));

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains(path + " " + PROTECTED, "server.tls.clientAuthority");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/scheduler/filter", "/webhook/pods"})
  void plain_port_refuses_every_caller(String path) throws Exception {
    URI plain = URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path));
    HttpResponse<String> answer = send(post(plain, "{}"), keys.context("signer", "signer-caller"));

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains(PROTECTED);
  }

  /// The body of a refused caller is not awaited.
  @Test
  void caller_without_certificate_is_refused_before_its_body_arrives() throws Exception {
    try (Socket socket =
        keys.context("signer")
            .getSocketFactory()
            .createSocket(InetAddress.getLoopbackAddress(), front.tlsPort().orElseThrow())) {
      String head =
          "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();

      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

      assertThat(answer).startsWith("HTTP/1.1 401");
    }
  }

  @Test
  void certificate_of_another_authority_is_not_shown() throws Exception {
    SSLContext stranger = keys.context("signer", "stranger-caller");

    // A client of this JDK shows no certificate that the server does not ask for.
    assertThat(send(post(secure("/scheduler/filter"), "{}"), stranger).statusCode()).isEqualTo(401);
  }

  @Test
  void certificate_of_a_server_is_none_of_a_caller() throws Exception {
    SSLContext server = keys.context("signer", "server");

    assertThatThrownBy(() -> send(post(secure("/scheduler/filter"), "{}"), server))
        .isInstanceOf(IOException.class);
  }

  /// An expired certificate of kube-scheduler must be visible.
  @ParameterizedTest
  @CsvSource({
    "server, does not fit server.tls.clientAuthority (Extended key usage",
    "late, its certificate \"CN=late\" expired at 2",
    "early, its certificate \"CN=early\" is not valid before 2",
    "stranger-caller, it called /scheduler/filter without a certificate of server.tls.clientAuthority"
  })
  void refused_certificate_is_logged_with_address_and_cause(String shown, String told)
      throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(CertificateRefusals.class);
    lines.start();
    logger.addAppender(lines);
    try (HttpFront other = start()) { // its own limit of lines
      URI filter =
          URI.create(
              "https://127.0.0.1:%d/scheduler/filter".formatted(other.tlsPort().orElseThrow()));
      assertThatCode(() -> send(post(filter, "{}"), keys.context("signer", shown)))
          .satisfiesAnyOf(
              none -> assertThat(none).isNull(),
              refused -> assertThat(refused).isInstanceOf(IOException.class));
      assertThat(lines.list)
          .first()
          .extracting(ILoggingEvent::getFormattedMessage)
          .asString()
          .startsWith("Refused a caller at 127.0.0.1: ")
          .contains(told);
    } finally {
      logger.detachAppender(lines);
    }
  }

  @Test
  void probes_and_pages_need_no_certificate() throws Exception {
    assertThat(get("/readyz", keys.context("signer")).statusCode()).isEqualTo(200);
    assertThat(get("/api/v1/nodes", keys.context("signer")).statusCode()).isEqualTo(200);
  }

  @Test
  void new_authority_takes_effect_without_restart() throws Exception {
    keys.writeCertificate("stranger", signers);
    SSLContext former = keys.context("signer", "signer-caller");
    SSLContext next = keys.context("signer", "stranger-caller");
    String body = HttpFrontScene.args("w0", "\"gpu-2\"");
    try {
      assertThat(front.lookAtCertificates()).isTrue();
      assertThat(front.lookAtCertificates()).isFalse();

      HttpRequest call = post(secure("/scheduler/filter"), body);
      assertThat(send(call, next).statusCode()).isEqualTo(200);
      assertThat(send(call, former).statusCode()).isEqualTo(401);
    } finally {
      keys.writeCertificate("signer", signers);
      assertThat(front.lookAtCertificates()).isTrue();
    }
  }

  @Test
  void unreadable_authority_keeps_the_former_one() throws Exception {
    Files.writeString(signers, "not a certificate");
    try {
      assertThat(front.lookAtCertificates()).isFalse();
      SSLContext caller = keys.context("signer", "signer-caller");
      String body = HttpFrontScene.args("w0", "\"gpu-2\"");
      assertThat(send(post(secure("/scheduler/filter"), body), caller).statusCode()).isEqualTo(200);
    } finally {
      keys.writeCertificate("signer", signers);
    }
  }

  /// Connections of strangers never displace one with a certificate, even if it is idle.
  @Test
  void idle_caller_with_certificate_keeps_its_connection() throws Exception {
    List<Socket> strangers = new ArrayList<>();
    try (Socket caller =
        keys.context("signer", "signer-caller")
            .getSocketFactory()
            .createSocket(InetAddress.getLoopbackAddress(), front.tlsPort().orElseThrow())) {
      assertThat(ask(caller)).startsWith("HTTP/1.1 200");
      for (int i = 0; i < 1_100; i++) {
        strangers.add(new Socket(InetAddress.getLoopbackAddress(), front.port()));
      }
      assertThat(get("/healthz", keys.context("signer")).statusCode()).isEqualTo(200);

      assertThat(ask(caller)).startsWith("HTTP/1.1 200");
    } finally {
      for (Socket socket : strangers) {
        socket.close();
      }
    }
  }

  private static String ask(Socket socket) throws IOException {
    String head = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
    byte[] answer = new byte[4_096];
    int length = socket.getInputStream().read(answer);
    return length < 0 ? "" : new String(answer, 0, length, StandardCharsets.US_ASCII);
  }
}
