package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The server reads the format of EC keys that cert-manager writes: SEC 1, where other tests have
/// PKCS #8.
class SecOneKeyTest {
  /// Header of the structure and of the number, and the name of the curve after the number.
  private static final String BEFORE = "30310201010420";

  private static final String P256 = "a00a06082a8648ce3d030107";

  @Test
  void key_in_sec1_is_served(@TempDir Path folder) throws Exception {
    TestKeys keys = new TestKeys(folder);
    keys.authority("signer");
    keys.server("server", "signer");
    Path key = keys.writeKey("server", folder.resolve("tls.key"));
    Files.writeString(key, inSec1(Files.readString(key)));
    ListenOptions.Tls tls =
        new ListenOptions.Tls(
            keys.writeCertificate("server", folder.resolve("tls.crt")), key, 0, Optional.empty());
    ServerImages image = ServerImages.cluster();
    try (ServerMetrics metrics = new ServerMetrics(image::state);
        HttpFront front =
            HttpFront.start(
                new HttpDependencies(
                    image::state,
                    () -> Policies.DEFAULT,
                    ServerImages.SCOPE,
                    new WebhookOptions(true, true, _ -> Map.of()),
                    metrics,
                    () -> true),
                new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.of(tls)));
        HttpClient client = HttpClient.newBuilder().sslContext(keys.context("signer")).build()) {
      int port = front.tlsPort().orElseThrow();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:%d/healthz".formatted(port)))
              .build();
      assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
          .isEqualTo("ok\n");
    }
  }

  /// Returns a key on the curve P-256 as RFC 5915 has it.
  private static String inSec1(String pkcs8) throws Exception {
    byte[] encoded =
        Base64.getMimeDecoder().decode(pkcs8.replaceAll("-----[A-Z ]+-----", "").strip());
    ECPrivateKey key =
        (ECPrivateKey)
            KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
    BigInteger number = key.getS();
    byte[] der = HexFormat.of().parseHex(BEFORE + "%064x".formatted(number) + P256);
    return "-----BEGIN EC PRIVATE KEY-----\n%s\n-----END EC PRIVATE KEY-----\n"
        .formatted(Base64.getMimeEncoder().encodeToString(der));
  }
}
