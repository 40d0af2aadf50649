package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.state.Policies;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// The second port serves HTTPS with PEM files that may change while it runs.
class TlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path directory = Path.of("");

  private final ServerImages image = ServerImages.cluster();
  private final ServerMetrics metrics = new ServerMetrics(image::state);

  private HttpFront start(ListenOptions.Tls tls) throws IOException {
    return start(tls, _ -> {});
  }

  private HttpFront start(ListenOptions.Tls tls, Consumer<Router> more) throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            image::state, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    return HttpFront.start(
        dependencies, new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.of(tls)), more);
  }

  @Test
  void serves_and_renews_its_certificate() throws Exception {
    KeyStore first = issue("first");
    KeyStore second = issue("second");
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(first, tls);
    try (HttpFront front = start(tls)) {
      int port = front.tlsPort().orElseThrow();
      assertThat(get(port, trusting(first)).body()).isEqualTo("ok\n");
      assertThat(get(port, trusting(first)).version()).isEqualTo(HttpClient.Version.HTTP_1_1);
      write(second, tls);
      assertThat(front.lookAtCertificates()).isTrue();
      assertThat(subject(port, second)).isEqualTo("CN=second");
      assertThat(front.lookAtCertificates()).isFalse();
    }
  }

  @Test
  void connection_with_occasional_requests_stays_open() throws Exception {
    KeyStore keys = issue("first");
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(keys, tls);
    List<Socket> idle = new ArrayList<>();
    try (HttpFront front = start(tls, TlsTest::tellsThePort);
        HttpClient client = HttpClient.newBuilder().sslContext(trusting(keys)).build()) {
      URI asked = URI.create("https://127.0.0.1:%d/port".formatted(front.tlsPort().orElseThrow()));
      Set<String> ports = new TreeSet<>();
      for (int i = 0; i < 6; i++) {
        HttpRequest request = HttpRequest.newBuilder(asked).build();
        ports.add(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        for (int j = 0; j < 300; j++) {
          idle.add(new Socket(InetAddress.getLoopbackAddress(), front.port()));
        }
      }
      assertThat(ports).as("the caller's ports").hasSize(1);
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  /// Handshakes and large bodies on one port must not delay the calls on the other.
  @Test
  void each_port_has_a_thread_of_its_own() throws Exception {
    KeyStore keys = issue("first");
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(keys, tls);
    try (HttpFront front =
            start(
                tls,
                router ->
                    router
                        .get("/thread")
                        .handler(ctx -> ctx.end(Thread.currentThread().getName())));
        HttpClient client = HttpClient.newBuilder().sslContext(trusting(keys)).build()) {
      assertThat(thread(client, "https", front.tlsPort().orElseThrow()))
          .isNotEqualTo(thread(client, "http", front.port()));
    }
  }

  private static String thread(HttpClient client, String scheme, int port) throws Exception {
    URI asked = URI.create("%s://127.0.0.1:%d/thread".formatted(scheme, port));
    HttpRequest request = HttpRequest.newBuilder(asked).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private static void tellsThePort(Router router) {
    router
        .get("/port")
        .handler(ctx -> ctx.end(String.valueOf(ctx.request().remoteAddress().port())));
  }

  @Test
  void keeps_its_certificate_when_the_new_one_is_invalid() throws Exception {
    KeyStore first = issue("first");
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(first, tls);
    byte[] certificate = Files.readAllBytes(tls.certFile());
    try (HttpFront front = start(tls)) {
      Files.writeString(tls.certFile(), "not a certificate");
      assertThat(front.lookAtCertificates()).isFalse();
      write(issue("other"), tls);
      Files.write(tls.certFile(), certificate); // with the key of another
      assertThat(front.lookAtCertificates()).isFalse();
      assertThat(subject(front.tlsPort().orElseThrow(), first)).isEqualTo("CN=first");
    }
  }

  @Test
  void invalid_certificate_is_reported_once_per_change() throws Exception {
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(issue("first"), tls);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(Certificates.class);
    told.start();
    logger.addAppender(told);
    try (HttpFront front = start(tls)) {
      Files.writeString(tls.certFile(), "not a certificate");
      look(front, 100);
      assertThat(told.list).hasSize(1);
      Files.writeString(tls.certFile(), "no certificate either");
      look(front, 100);
      assertThat(told.list).hasSize(2);
      write(issue("second"), tls);
      look(front, 1);
      Files.writeString(tls.certFile(), "no certificate either");
      look(front, 1);
      assertThat(told.list).last().asString().contains("Keeping the current TLS certificate: ");
    } finally {
      logger.detachAppender(told);
    }
  }

  @Test
  void expired_certificate_is_served_and_reported_once() throws Exception {
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    KeyStore over = issue("over", " -startdate -9d");
    write(over, tls);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(Certificates.class);
    told.start();
    logger.addAppender(told);
    try (HttpFront front = start(tls)) {
      look(front, 100);
      assertThat(told.list)
          .singleElement()
          .asString()
          .contains("The TLS certificate " + tls.certFile() + " expired at 2");
    } finally {
      logger.detachAppender(told);
    }
  }

  @Test
  void unsupported_key_is_reported_with_the_supported_kinds() throws Exception {
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(issue("first"), tls);
    Key other = KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate();
    Files.writeString(tls.keyFile(), pem("PRIVATE KEY", other.getEncoded()));
    assertThatThrownBy(() -> start(tls).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Only RSA and EC keys are served.");
  }

  private static void look(HttpFront front, int times) throws IOException {
    for (int i = 0; i < times; i++) {
      front.lookAtCertificates();
    }
  }

  @Test
  void unreadable_files_are_named() {
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("no.crt"), directory.resolve("no.key"), 0);
    assertThatThrownBy(() -> start(tls).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no.crt")
        .hasMessageContaining(": no such file or folder.")
        .hasMessageContaining("Cannot read the TLS certificate ");
  }

  @Test
  void message_names_only_the_key_when_the_certificate_is_readable() throws Exception {
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(issue("first"), tls);
    Files.delete(tls.keyFile());
    assertThatThrownBy(() -> start(tls).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Cannot read the TLS key " + tls.keyFile())
        .hasMessageNotContaining("tls.crt");
  }

  @Test
  void invalid_certificate_is_not_reported_as_a_port_problem() throws Exception {
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(issue("first"), tls);
    Files.writeString(tls.certFile(), "not a certificate");
    assertThatThrownBy(() -> start(tls).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(tls.certFile().toString())
        .hasMessageContaining("are not a PEM certificate with its key")
        .hasMessageNotContaining("Another process");
  }

  @Test
  void key_of_another_certificate_is_reported() throws Exception {
    ListenOptions.Tls tls =
        new ListenOptions.Tls(directory.resolve("tls.crt"), directory.resolve("tls.key"), 0);
    write(issue("first"), tls);
    byte[] certificate = Files.readAllBytes(tls.certFile());
    write(issue("second"), tls);
    Files.write(tls.certFile(), certificate);
    assertThatThrownBy(() -> start(tls).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("are not a PEM certificate with its key");
  }

  private static HttpResponse<String> get(int port, SSLContext trust) throws Exception {
    try (HttpClient client = HttpClient.newBuilder().sslContext(trust).build()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:%d/healthz".formatted(port)))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }

  private static String subject(int port, KeyStore trusted) throws GeneralSecurityException {
    SSLContext trust = trusting(trusted);
    try (SSLSocket socket =
        (SSLSocket) trust.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
      socket.startHandshake();
      Certificate certificate = socket.getSession().getPeerCertificates()[0];
      return ((X509Certificate) certificate).getSubjectX500Principal().getName();
    } catch (IOException distrusted) {
      return "not trusted";
    }
  }

  private static SSLContext trusting(KeyStore keys) throws GeneralSecurityException {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("server", keys.getCertificate("key"));
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, factory.getTrustManagers(), null);
      return context;
    } catch (IOException impossible) {
      throw new GeneralSecurityException(impossible);
    }
  }

  private KeyStore issue(String name) throws Exception {
    return issue(name, "");
  }

  private KeyStore issue(String name, String options) throws Exception {
    Path file = directory.resolve(name + ".p12");
    Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    Process keytool =
        new ProcessBuilder(
                (tool
                        + " -genkeypair -alias key -keyalg EC -groupname secp256r1 -validity 2"
                        + " -storetype PKCS12 -storepass changeit -ext SAN=ip:127.0.0.1 -dname CN="
                        + name
                        + " -keystore "
                        + file
                        + options)
                    .split(" ", -1))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(name + ".log").toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  private static void write(KeyStore keys, ListenOptions.Tls tls) throws Exception {
    Files.writeString(tls.keyFile(), pem("PRIVATE KEY", keys.getKey("key", PASSWORD).getEncoded()));
    Files.writeString(tls.certFile(), pem("CERTIFICATE", keys.getCertificate("key").getEncoded()));
  }

  private static String pem(String kind, byte[] der) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, Base64.getMimeEncoder().encodeToString(der), kind);
  }
}
