package dev.muster.server.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The certificate files of the TLS port. Whoever renews them (cert-manager, a mounted Secret) need
/// not restart the server.
final class Certificates {
  private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

  private final Listen.Tls files;
  private volatile PemKeyCertOptions current = new PemKeyCertOptions();

  Certificates(Listen.Tls files) {
    this.files = files;
  }

  /// Both files as they are now.
  ///
  /// @throws IOException naming the file that cannot be read
  PemKeyCertOptions read() throws IOException {
    current = load();
    return current;
  }

  private PemKeyCertOptions load() throws IOException {
    try {
      return new PemKeyCertOptions()
          .setCertValue(Buffer.buffer(Files.readAllBytes(files.certFile())))
          .setKeyValue(Buffer.buffer(Files.readAllBytes(files.keyFile())));
    } catch (IOException problem) {
      throw new IOException(
          "Cannot read the TLS files %s and %s: %s. Maybe the Secret is not mounted."
              .formatted(files.certFile(), files.keyFile(), problem.getMessage()),
          problem);
    }
  }

  /// Looks at the files from time to time and serves new ones once they changed.
  void keepFresh(Vertx vertx, HttpServer server) {
    vertx.setPeriodic(LOOK_EVERY.toMillis(), _ -> look(vertx, server));
  }

  /// Files that cannot be read or do not fit together leave the old ones in service, and are tried
  /// again.
  ///
  /// @return done when the look is over, with whether a new certificate is served now
  Future<Boolean> look(Vertx vertx, HttpServer server) {
    return vertx
        .executeBlocking(this::load)
        .compose(found -> renew(server, Objects.requireNonNull(found)))
        .otherwise(Certificates::keep);
  }

  private Future<Boolean> renew(HttpServer server, PemKeyCertOptions found) {
    if (found.equals(current)) {
      return Future.succeededFuture(false);
    }
    return server
        .updateSSLOptions(new ServerSSLOptions().setKeyCertOptions(found).setUseAlpn(true))
        .onSuccess(_ -> current = found)
        .onSuccess(_ -> LOG.info("Serving the new TLS certificate from {}", files.certFile()));
  }

  private static boolean keep(Throwable problem) {
    LOG.warn("The TLS certificate stays as it was: {}", problem.getMessage());
    return false;
  }
}
