package dev.muster.server.http.receive;

import dev.muster.policy.yaml.ShownValue;
import io.vertx.core.Vertx;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs the callers that are refused because of their certificate, such as an expired one of
/// kube-scheduler.
///
/// Any client can cause a refusal, so there is one line per second at most. A line has no control
/// characters, and a bounded length.
public final class CertificateRefusals {
  private static final Logger log = LoggerFactory.getLogger(CertificateRefusals.class);
  private static final Duration QUIET = Duration.ofSeconds(1);

  private final InstantSource clock;
  private Instant next = Instant.MIN;
  private long untold;

  /// @param clock tells when a line was logged, and whether a certificate is valid
  public CertificateRefusals(InstantSource clock) {
    this.clock = clock;
  }

  /// Logs a refusal, or counts it for the next line. Safe for use by several threads.
  ///
  /// @param address address of the caller
  /// @param cause what is wrong, as a clause
  public synchronized void note(String address, String cause) {
    Instant now = clock.instant();
    if (now.isBefore(next)) {
      untold++;
      return;
    }
    log.warn(
        "Refused a caller at {}: {}. {} refusals before it were not logged.",
        address,
        cause,
        untold);
    next = now.plus(QUIET);
    untold = 0;
  }

  /// Returns options that trust the callers whom these options trust, and note all others.
  ///
  /// @throws Exception if there is no valid certificate
  public TrustOptions noting(PemTrustOptions signers, Vertx vertx) throws Exception {
    return TrustOptions.wrap(
        new Noting(
            (X509ExtendedTrustManager)
                signers.getTrustManagerFactory(vertx).getTrustManagers()[0]));
  }

  private String cause(X509Certificate shown, CertificateException refused) {
    Instant now = clock.instant();
    String fault;
    if (now.isAfter(shown.getNotAfter().toInstant())) {
      fault = "expired at " + shown.getNotAfter().toInstant();
    } else if (now.isBefore(shown.getNotBefore().toInstant())) {
      fault = "is not valid before " + shown.getNotBefore().toInstant();
    } else {
      Throwable deepest = refused;
      while (deepest.getCause() != null) {
        deepest = deepest.getCause();
      }
      fault =
          "does not fit server.tls.clientAuthority (%s)"
              .formatted(ShownValue.text(String.valueOf(deepest.getMessage())));
    }
    return "its certificate \"%s\" %s"
        .formatted(ShownValue.text(shown.getSubjectX500Principal().getName()), fault);
  }

  private final class Noting extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager signers;

    Noting(X509ExtendedTrustManager signers) {
      this.signers = signers;
    }

    @FunctionalInterface
    private interface Check {
      void run() throws CertificateException;
    }

    private void check(X509Certificate[] chain, @Nullable String address, Check check)
        throws CertificateException {
      try {
        check.run();
      } catch (CertificateException refused) {
        note(Objects.requireNonNullElse(address, "an unknown address"), cause(chain[0], refused));
        throw refused;
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      check(chain, engine.getPeerHost(), () -> signers.checkClientTrusted(chain, type, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      check(
          chain,
          socket.getInetAddress().getHostAddress(),
          () -> signers.checkClientTrusted(chain, type, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      check(chain, null, () -> signers.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      signers.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      signers.checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      signers.checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return signers.getAcceptedIssuers();
    }
  }
}
