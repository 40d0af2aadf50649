package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A client certificate signs in, whatever the algorithm and the format of its key.
class ClientKeyTest {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final HexFormat HEX = HexFormat.of();

  @TempDir static Path folder;

  private static KeyStore keys;
  private static HttpsServer server;

  /// A server that answers only callers with one of the certificates.
  @BeforeAll
  static void start() throws Exception {
    for (String[] key :
        List.of(
            new String[] {"rsa", "RSA", "-keysize", "2048"},
            new String[] {"p256", "EC", "-groupname", "secp256r1"},
            new String[] {"p384", "EC", "-groupname", "secp384r1"},
            new String[] {"p521", "EC", "-groupname", "secp521r1"})) {
      generate(key);
    }
    keys = KeyStore.getInstance(folder.resolve("keys.p12").toFile(), PASSWORD);
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    for (String name : List.of("rsa", "p256", "p384", "p521")) {
      trust.setCertificateEntry(name, keys.getCertificate(name));
    }
    TrustManagerFactory trusting =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusting.init(trust);
    KeyManagerFactory showing = KeyManagerFactory.getInstance("NewSunX509");
    showing.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(showing.getKeyManagers(), trusting.getTrustManagers(), null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters required = context.getDefaultSSLParameters();
            required.setNeedClientAuth(true);
            parameters.setSSLParameters(required);
          }
        });
    server.createContext(
        "/",
        call -> {
          byte[] body = "ok".getBytes(StandardCharsets.UTF_8);
          call.sendResponseHeaders(200, body.length);
          call.getResponseBody().write(body);
          call.close();
        });
    server.start();
  }

  private static void generate(String... key) throws Exception {
    Path log = folder.resolve(key[0] + ".log");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                key[0],
                "-keyalg",
                key[1],
                key[2],
                key[3],
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-dname",
                "CN=" + key[0],
                "-keystore",
                folder.resolve("keys.p12").toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(Files.readString(log)).isZero();
  }

  @AfterAll
  static void stop() {
    server.stop(0);
  }

  @ParameterizedTest
  @CsvSource({
    "rsa, RSA PRIVATE KEY",
    "rsa, PRIVATE KEY",
    "p256, EC PRIVATE KEY",
    "p256, PRIVATE KEY",
    "p384, EC PRIVATE KEY",
    "p384, PRIVATE KEY",
    "p521, EC PRIVATE KEY",
    "p521, PRIVATE KEY",
  })
  void key_of_each_algorithm_and_format_signs_in(String name, String format) throws Exception {
    String pem = pem(name, format);

    assertThat(answer(name, data(pem))).isEqualTo("ok");
    assertThat(answer(name, file(pem))).isEqualTo("ok");
  }

  @Test
  void key_may_follow_its_certificate_or_the_parameters_of_its_curve() throws Exception {
    String certificate = pem("CERTIFICATE", keys.getCertificate("p256").getEncoded());
    String parameters = pem("EC PARAMETERS", curve("p256"));

    assertThat(answer("p256", file(certificate + pem("p256", "PRIVATE KEY")))).isEqualTo("ok");
    assertThat(answer("p256", file(parameters + pem("p256", "EC PRIVATE KEY")))).isEqualTo("ok");
  }

  @Test
  void key_of_another_algorithm_is_refused() throws Exception {
    byte[] key =
        KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate().getEncoded();
    refused(
        data(pem("PRIVATE KEY", key)),
        "The kubeconfig's client-key-data is neither an RSA key nor a key on an elliptic curve (ECDSA).");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n"
      })
  void encrypted_key_is_refused(String pem) throws Exception {
    refused(
        data(pem),
        "The kubeconfig's client-key-data is encrypted, as kubectl cannot read it either. openssl pkey decrypts it.");
  }

  @Test
  void file_without_a_key_is_named() throws Exception {
    refused(
        file("none"),
        "The kubeconfig's client-key %s has no private key in PEM format."
            .formatted(folder.resolve("client.key")));
  }

  @Test
  void damaged_key_is_refused_with_its_cause() {
    assertThatThrownBy(() ->
            answer(
                "rsa",
                data("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("The kubeconfig's certificates cannot be read: ")
        .hasMessageNotContaining("An error has occurred");
  }

  private static void refused(String key, String message) {
    assertThatThrownBy(() -> answer("rsa", key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  // ---- The kubeconfig ----

  private static String data(String pem) {
    return "client-key-data: " + base64(pem);
  }

  private static String file(String pem) throws IOException {
    return "client-key: " + Files.writeString(folder.resolve("client.key"), pem);
  }

  /// Returns what the server says to the caller with this certificate and key.
  private static String answer(String certificate, String key) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            current-context: here
            clusters: [{name: near, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
            contexts: [{name: here, context: {cluster: near, user: me}}]
            users: [{name: me, user: {client-certificate-data: %s, %s}}]
            """
                .formatted(
                    server.getAddress().getPort(),
                    base64(pem("CERTIFICATE", keys.getCertificate(certificate).getEncoded())),
                    key));
    try (KubernetesClient client = Kubeconfig.client(Optional.of(file))) {
      return client.raw("/healthz");
    }
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  // ---- Formats of keys ----

  private static String pem(String name, String format) throws Exception {
    PrivateKey key = (PrivateKey) keys.getKey(name, PASSWORD);
    return pem(
        format,
        switch (format) {
          case "RSA PRIVATE KEY" -> pkcs1((RSAPrivateCrtKey) key);
          case "EC PRIVATE KEY" -> sec1((ECPrivateKey) key, curve(name));
          default -> key.getEncoded(); // PKCS #8
        });
  }

  private static String pem(String kind, byte[] der) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der), kind);
  }

  /// Returns the key as RFC 8017, A.1.2, has it.
  private static byte[] pkcs1(RSAPrivateCrtKey key) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (BigInteger number :
        List.of(
            BigInteger.ZERO,
            key.getModulus(),
            key.getPublicExponent(),
            key.getPrivateExponent(),
            key.getPrimeP(),
            key.getPrimeQ(),
            key.getPrimeExponentP(),
            key.getPrimeExponentQ(),
            key.getCrtCoefficient())) {
      all.write(der(0x02, number.toByteArray()));
    }
    return der(0x30, all.toByteArray());
  }

  /// Returns the key as RFC 5915, 3, has it: with its curve, and here without the public key.
  private static byte[] sec1(ECPrivateKey key, byte[] curve) throws IOException {
    byte[] number = new byte[(key.getParams().getOrder().bitLength() + 7) / 8];
    byte[] value = key.getS().toByteArray();
    int from = Math.max(0, value.length - number.length);
    System.arraycopy(value, from, number, number.length - value.length + from, value.length - from);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(der(0x02, new byte[] {1}));
    all.write(der(0x04, number));
    all.write(der(0xa0, curve));
    return der(0x30, all.toByteArray());
  }

  private static byte[] curve(String name) {
    return HEX.parseHex(
        switch (name) {
          case "p256" -> "06082a8648ce3d030107";
          case "p384" -> "06052b81040022";
          default -> "06052b81040023";
        });
  }

  private static byte[] der(int tag, byte[] content) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(tag);
    byte[] length = BigInteger.valueOf(content.length).toByteArray();
    if (content.length < 0x80) {
      all.write(content.length);
    } else {
      int from = length[0] == 0 ? 1 : 0;
      all.write(0x80 | (length.length - from));
      all.write(length, from, length.length - from);
    }
    all.write(content);
    return all.toByteArray();
  }
}
