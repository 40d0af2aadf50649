package dev.muster.server.kube.client;

import dev.muster.policy.file.FileErrorText;
import io.fabric8.kubernetes.client.Config;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The private key of a client certificate, in PEM as kubeconfig files have it.
///
/// kubectl reads the algorithm from the key. The client library has to be told it, guesses RSA, and
/// reads the first block of a file only. That one can be a certificate, or parameters of a curve.
final class ClientKey {
  private static final Pattern BLOCK =
      Pattern.compile(
          "-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----(.*?)-----END \\1-----", Pattern.DOTALL);

  /// The algorithms that the client library knows.
  private static final List<String> ALGORITHMS = List.of("RSA", "EC");

  private final String place;

  private ClientKey(String place) {
    this.place = place;
  }

  /// Gives the configuration only the key, and the algorithm of the key. Without a key, nothing
  /// changes.
  ///
  /// @throws IllegalArgumentException if there is a key that cannot be used
  static void settle(Config config) {
    String data = config.getClientKeyData();
    String file = config.getClientKeyFile();
    if (data != null && !data.isBlank()) {
      byte[] text = Base64.getMimeDecoder().decode(data.strip());
      new ClientKey("client-key-data").settle(config, new String(text, StandardCharsets.UTF_8));
    } else if (file != null && !file.isBlank()) {
      new ClientKey("client-key " + file)
          .settle(config, FileErrorText.text(FileErrorText.path(file)));
    }
  }

  private void settle(Config config, String text) {
    Matcher block = BLOCK.matcher(text);
    if (!block.find()) {
      throw wrong("has no private key in PEM format.");
    }
    config.setClientKeyAlgo(algorithm(block.group(1), block.group(2)));
    byte[] key = block.group().getBytes(StandardCharsets.UTF_8);
    config.setClientKeyData(Base64.getEncoder().encodeToString(key));
  }

  private String algorithm(String kind, String content) {
    if (kind.startsWith("ENCRYPTED") || content.contains("ENCRYPTED")) {
      throw wrong("is encrypted, as kubectl cannot read it either. openssl pkey decrypts it.");
    }
    if (!kind.equals("PRIVATE KEY")) {
      return kind.substring(0, kind.indexOf(' '));
    }
    byte[] encoded = Base64.getMimeDecoder().decode(content.strip());
    return ALGORITHMS.stream()
        .filter(algorithm -> isOf(algorithm, encoded))
        .findFirst()
        .orElseThrow(() -> wrong("is neither an RSA key nor a key on an elliptic curve (ECDSA)."));
  }

  private static boolean isOf(String algorithm, byte[] encoded) {
    try {
      var _ = KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      return true;
    } catch (GeneralSecurityException _) {
      return false;
    }
  }

  private IllegalArgumentException wrong(String message) {
    return new IllegalArgumentException("The kubeconfig's %s %s".formatted(place, message));
  }
}
