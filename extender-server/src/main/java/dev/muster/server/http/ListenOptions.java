package dev.muster.server.http;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/// The listening addresses of the server.
///
/// @param host address, `0.0.0.0` for all
/// @param port port for plain HTTP; 0 takes any free port
/// @param maxBody maximum length of a request body in bytes; longer ones get 413
/// @param tls second port, for HTTPS; absent: none
/// @param probePort port for probes and metrics only; 0 takes any free port; absent: none
public record ListenOptions(
    String host, int port, long maxBody, Optional<Tls> tls, OptionalInt probePort) {
  /// Creates addresses without a port for probes only.
  public ListenOptions(String host, int port, long maxBody, Optional<Tls> tls) {
    this(host, port, maxBody, tls, OptionalInt.empty());
  }

  /// The HTTPS port. All files are PEM, and are read again when they change.
  ///
  /// @param certFile certificate chain
  /// @param keyFile private key
  /// @param port 0 takes any free port
  /// @param clientAuthority certificates that sign the callers of the extender and the webhook;
  ///   absent: both answer all who reach them
  public record Tls(Path certFile, Path keyFile, int port, Optional<Path> clientAuthority) {
    /// Creates a port on which nobody has to prove who calls.
    public Tls(Path certFile, Path keyFile, int port) {
      this(certFile, keyFile, port, Optional.empty());
    }
  }

  /// True if only callers with a certificate may use the extender and the webhook.
  boolean demandsCertificates() {
    return tls.flatMap(Tls::clientAuthority).isPresent();
  }
}
