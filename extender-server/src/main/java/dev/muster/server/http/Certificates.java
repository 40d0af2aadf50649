package dev.muster.server.http;

import dev.muster.policy.file.FileErrorText;
import dev.muster.server.http.receive.CertificateRefusals;
import dev.muster.server.logging.LogThrottle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The certificate files of the TLS port. Renewal by cert-manager or in a mounted Secret needs no
/// restart of the server.
final class Certificates {
  private static final Logger log = LoggerFactory.getLogger(Certificates.class);

  /// The signature algorithm for each kind of key.
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

  private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

  private final ListenOptions.Tls files;
  private final CertificateRefusals refusals = new CertificateRefusals(InstantSource.system());
  private volatile Optional<Credentials> current = Optional.empty();
  private final LogThrottle throttle = new LogThrottle(Duration.ofHours(1), InstantSource.system());

  /// The content of the files.
  ///
  /// @param own certificate and key of the server
  /// @param authority signers of the callers, if they have to show a certificate
  /// @param trusted the same signers; notes the callers that it refuses
  record Credentials(
      PemKeyCertOptions own, Optional<PemTrustOptions> authority, Optional<TrustOptions> trusted) {
    /// Returns the options of a server with these credentials. A caller without certificate
    /// completes its handshake, so that it gets an answer that names the remedy.
    HttpServerOptions applyTo(HttpServerOptions options) {
      trusted.ifPresent(
          signers -> options.setTrustOptions(signers).setClientAuth(ClientAuth.REQUEST));
      return options.setKeyCertOptions(own);
    }

    /// True if the files have not changed. [PemTrustOptions] has no equality of its own.
    private boolean isEqualTo(Optional<Credentials> earlier) {
      return earlier
          .filter(other -> own.equals(other.own) && signers().equals(other.signers()))
          .isPresent();
    }

    private List<Buffer> signers() {
      return authority.map(PemTrustOptions::getCertValues).orElse(List.of());
    }

    private ServerSSLOptions renewed() {
      ServerSSLOptions options = new ServerSSLOptions().setKeyCertOptions(own);
      trusted.ifPresent(
          signers -> options.setTrustOptions(signers).setClientAuth(ClientAuth.REQUEST));
      return options;
    }
  }

  Certificates(ListenOptions.Tls files) {
    this.files = files;
  }

  /// Reads all files.
  ///
  /// @throws IOException naming the files if they cannot be read or do not match
  Credentials read(Vertx vertx) throws IOException {
    Credentials read = load(vertx);
    current = Optional.of(read);
    return read;
  }

  private Credentials load(Vertx vertx) throws IOException {
    PemKeyCertOptions own = loadOwn(vertx);
    Optional<Path> signers = files.clientAuthority();
    return signers.isEmpty()
        ? new Credentials(own, Optional.empty(), Optional.empty())
        : withAuthority(vertx, own, signers.get());
  }

  private Credentials withAuthority(Vertx vertx, PemKeyCertOptions own, Path file)
      throws IOException {
    PemTrustOptions found = new PemTrustOptions().addCertValue(bytes(file, "client authority"));
    try {
      return new Credentials(own, Optional.of(found), Optional.of(refusals.noting(found, vertx)));
    } catch (Exception bad) { // parsers of PEM throw many types
      throw new IOException(
          "server.tls.clientAuthority %s has no PEM certificate: %s"
              .formatted(file, bad.getMessage()),
          bad);
    }
  }

  private PemKeyCertOptions loadOwn(Vertx vertx) throws IOException {
    PemKeyCertOptions found = bytes();
    try {
      KeyManager[] managers = found.getKeyManagerFactory(vertx).getKeyManagers();
      warnIfExpired(demandPair((X509KeyManager) managers[0]));
      return found;
    } catch (Exception bad) { // parsers of PEM and keys throw many types
      throw new IOException(
          "The TLS files %s and %s are not a PEM certificate with its key: %s. Only RSA and EC keys are served."
              .formatted(files.certFile(), files.keyFile(), bad.getMessage()),
          bad);
    }
  }

  /// Checks that the key belongs to the certificate. A server with a mismatched pair would start,
  /// and then fail at every call.
  private static X509Certificate demandPair(X509KeyManager keys) throws GeneralSecurityException {
    for (Map.Entry<String, String> kind : SIGNATURES.entrySet()) {
      String[] aliases = keys.getServerAliases(kind.getKey(), null);
      if (aliases != null && aliases.length > 0) {
        X509Certificate certificate = keys.getCertificateChain(aliases[0])[0];
        Signature proof = Signature.getInstance(kind.getValue());
        proof.initSign(keys.getPrivateKey(aliases[0]));
        byte[] signature = proof.sign();
        proof.initVerify(certificate);
        if (!proof.verify(signature)) {
          throw new SignatureException("the key does not match the certificate");
        }
        return certificate;
      }
    }
    throw new InvalidKeyException("the key is neither RSA nor EC");
  }

  private void warnIfExpired(X509Certificate certificate) {
    Instant end = certificate.getNotAfter().toInstant();
    if (end.isBefore(Instant.now()) && throttle.isNew("expired at " + end)) {
      log.warn(
          "The TLS certificate {} expired at {}: the API server no longer calls the webhook, and kube-scheduler no longer calls over HTTPS. deploy/webhook-cert.sh renews it.",
          files.certFile(),
          end);
    }
  }

  private PemKeyCertOptions bytes() throws IOException {
    return new PemKeyCertOptions()
        .setCertValue(bytes(files.certFile(), "certificate"))
        .setKeyValue(bytes(files.keyFile(), "key"));
  }

  private static Buffer bytes(Path file, String what) throws IOException {
    try {
      return Buffer.buffer(Files.readAllBytes(file));
    } catch (IOException problem) {
      throw new IOException(
          "Cannot read the TLS %s %s: %s".formatted(what, file, FileErrorText.of(problem)),
          problem);
    }
  }

  /// Checks the files periodically and serves new ones after a change.
  void keepFresh(Vertx vertx, HttpServer server) {
    vertx.setPeriodic(LOOK_EVERY.toMillis(), _ -> look(vertx, server));
  }

  /// Checks the files once. If they cannot be read or do not match, the old ones stay in service
  /// and the next check tries again.
  ///
  /// @return completed after the check, with true if a new certificate is served now
  Future<Boolean> look(Vertx vertx, HttpServer server) {
    return vertx
        .executeBlocking(() -> load(vertx))
        .compose(found -> renew(server, Objects.requireNonNull(found)))
        .otherwise(this::keep);
  }

  private Future<Boolean> renew(HttpServer server, Credentials found) {
    if (found.isEqualTo(current)) {
      return Future.succeededFuture(false);
    }
    return server
        .updateSSLOptions(found.renewed())
        .onSuccess(_ -> current = Optional.of(found))
        .onSuccess(_ -> log.info("Serving the new TLS certificate from {}", files.certFile()));
  }

  /// Logs a problem when it is new, and then once an hour.
  private boolean keep(Throwable problem) {
    String wrong =
        "%s %s %s %s"
            .formatted(
                problem.getMessage(),
                changed(files.certFile()),
                changed(files.keyFile()),
                files.clientAuthority().map(Certificates::changed).orElse(""));
    if (throttle.isNew(wrong)) {
      log.warn("Keeping the current TLS certificate: {}", problem.getMessage());
    }
    return false;
  }

  private static String changed(Path file) {
    try {
      return Files.getLastModifiedTime(file).toString();
    } catch (IOException _) { // this is the problem that is logged
      return "";
    }
  }
}
