package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// The certificate of a caller, and the authority by which it trusts Muster.
record ClientKeys(Certificate authority, Certificate own, PrivateKey key) {
  private static final char[] PASSWORD = {};

  /// Reads the files that the shipped script wrote.
  static ClientKeys of(Path folder) {
    try {
      String key =
          Files.readString(folder.resolve("client.key")).replaceAll("-----[A-Z ]+-----|\\s", "");
      return new ClientKeys(
          certificate(folder.resolve("ca.crt")),
          certificate(folder.resolve("client.crt")),
          KeyFactory.getInstance("EC")
              .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(key))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("The script wrote no certificates to " + folder, e);
    }
  }

  private static Certificate certificate(Path file) throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  /// Returns a client that trusts Muster.
  ///
  /// @param shown true if it shows its own certificate
  HttpClient client(boolean shown) {
    try {
      KeyStore trust = empty();
      trust.setCertificateEntry("muster", authority);
      KeyStore mine = empty();
      if (shown) {
        mine.setKeyEntry("own", key, PASSWORD, new Certificate[] {own});
      }
      var trusting = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trusting.init(trust);
      var showing = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      showing.init(mine, PASSWORD);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(showing.getKeyManagers(), trusting.getTrustManagers(), null);
      return HttpClient.newBuilder().sslContext(context).build();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("This JDK takes no EC certificates", e);
    }
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }
}
