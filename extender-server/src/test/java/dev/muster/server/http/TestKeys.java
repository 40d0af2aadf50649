package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Authorities, and certificates that they sign, made by `keytool` in one key store.
///
/// @param folder holds the key store
public record TestKeys(Path folder) {
  private static final char[] PASSWORD = "changeit".toCharArray();

  /// Makes an authority.
  public void authority(String name) throws Exception {
    generate(name, List.of("-ext", "bc:c"));
  }

  /// Makes a certificate for a server on loopback.
  public void server(String name, String authority) throws Exception {
    signed(name, authority, "serverAuth");
  }

  /// Makes a certificate for a caller.
  public void caller(String name, String authority) throws Exception {
    signed(name, authority, "clientAuth");
  }

  /// Makes a certificate for a caller with further options of `keytool`.
  public void caller(String name, String authority, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of("-signer", authority, "-ext", "EKU=clientAuth"));
    all.addAll(Arrays.asList(options));
    generate(name, all);
  }

  private void signed(String name, String authority, String purpose) throws Exception {
    generate(
        name, List.of("-signer", authority, "-ext", "SAN=ip:127.0.0.1", "-ext", "EKU=" + purpose));
  }

  private void generate(String name, List<String> options) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-dname",
                "CN=" + name,
                "-keystore",
                store().toString()));
    command.addAll(options);
    Path log = folder.resolve(name + ".log");
    Process keytool =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(Files.readString(log)).isZero();
  }

  private Path store() {
    return folder.resolve("keys.p12");
  }

  private KeyStore keys() throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store())) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  /// Writes certificates without their keys.
  public Path writeCertificate(String name, Path file) throws Exception {
    return Files.writeString(file, pem("CERTIFICATE", keys().getCertificate(name).getEncoded()));
  }

  /// Writes a key.
  public Path writeKey(String name, Path file) throws Exception {
    return Files.writeString(file, pem("PRIVATE KEY", keys().getKey(name, PASSWORD).getEncoded()));
  }

  /// Returns the TLS side of a caller.
  ///
  /// @param trusted authority of the server
  /// @param shown certificates that the caller can show
  public SSLContext context(String trusted, String... shown) throws Exception {
    KeyStore all = keys();
    KeyStore trust = empty();
    trust.setCertificateEntry(trusted, all.getCertificate(trusted));
    KeyStore own = empty();
    for (String name : Arrays.asList(shown)) {
      own.setKeyEntry(name, all.getKey(name, PASSWORD), PASSWORD, all.getCertificateChain(name));
    }
    TrustManagerFactory trusting =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusting.init(trust);
    KeyManagerFactory showing = KeyManagerFactory.getInstance("NewSunX509");
    showing.init(own, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(showing.getKeyManagers(), trusting.getTrustManagers(), null);
    return context;
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static String pem(String kind, byte[] der) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, Base64.getMimeEncoder().encodeToString(der), kind);
  }
}
