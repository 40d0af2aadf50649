package dev.muster.server.http;

import java.nio.file.Path;
import java.util.Optional;

/// The listening addresses of the server.
///
/// @param host address, `0.0.0.0` for all
/// @param port port for plain HTTP; 0 takes any free port
/// @param maxBody maximum length of a request body in bytes; longer ones get 413
/// @param tls second port, for HTTPS; absent: none
public record ListenOptions(String host, int port, long maxBody, Optional<Tls> tls) {
  /// The HTTPS port.
  ///
  /// @param certFile certificate chain, PEM; read again when it changes
  /// @param keyFile private key, PEM; read again when it changes
  /// @param port 0 takes any free port
  public record Tls(Path certFile, Path keyFile, int port) {}
}
