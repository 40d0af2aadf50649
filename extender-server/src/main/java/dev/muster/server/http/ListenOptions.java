package dev.muster.server.http;

import java.nio.file.Path;
import java.util.Optional;

/// Where the server listens.
///
/// @param host the address, `0.0.0.0` for all
/// @param port for plain HTTP; 0 takes any free port
/// @param maxBody the most bytes a request body may have; more is answered with 413
/// @param tls the second port, for HTTPS; absent: none
public record ListenOptions(String host, int port, long maxBody, Optional<Tls> tls) {
  /// The HTTPS port.
  ///
  /// @param certFile the certificate chain, PEM; read again when it changes
  /// @param keyFile its private key, PEM; read again when it changes
  /// @param port 0 takes any free port
  public record Tls(Path certFile, Path keyFile, int port) {}
}
