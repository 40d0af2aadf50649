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

  /// The HTTPS port.
  ///
  /// @param certFile certificate chain, PEM; read again when it changes
  /// @param keyFile private key, PEM; read again when it changes
  /// @param port 0 takes any free port
  public record Tls(Path certFile, Path keyFile, int port) {}
}
