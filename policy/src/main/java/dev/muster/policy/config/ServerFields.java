package dev.muster.policy.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Listeners of the extender, the webhook, the probes and the metrics.
///
/// @param host address to bind; `0.0.0.0` binds all
/// @param port for plain HTTP, from 0 to 65535; 0 takes any free port
/// @param maxBody the largest request body
/// @param tls the additional HTTPS listener, which webhooks need
/// @param probePort for probes and metrics only, from 0 to 65535; 0 takes any free port
/// @param apiAccess the callers of the pages of `/api/v1`
public record ServerFields(
    String host,
    int port,
    ByteSize maxBody,
    Optional<Tls> tls,
    int probePort,
    ApiAccess apiAccess) {

  /// The callers of the pages of `/api/v1`.
  public enum ApiAccess {
    /// Callers with a token of the cluster; each sees what Kubernetes lets it list.
    @JsonProperty("Reviewed")
    REVIEWED,
    /// Everybody who reaches the port; all see everything.
    @JsonProperty("Open")
    OPEN
  }

  /// The HTTPS listener.
  ///
  /// @param certFile the certificate chain in PEM
  /// @param keyFile its private key in PEM
  /// @param port from 0 to 65535; 0 takes any free port
  /// @param clientAuthority the certificates in PEM that sign the callers of the extender and the
  ///   webhook; empty if both answer all who reach them
  public record Tls(String certFile, String keyFile, int port, Optional<String> clientAuthority) {
    @JsonCreator
    static Tls read(
        @JsonProperty("certFile") String certFile,
        @JsonProperty("keyFile") String keyFile,
        @JsonProperty("port") int port,
        @JsonProperty("clientAuthority") @Nullable String clientAuthority) {
      return new Tls(certFile, keyFile, port, Optional.ofNullable(clientAuthority));
    }

    public Tls {
      if (certFile.isBlank() || keyFile.isBlank()) {
        throw new IllegalArgumentException(
            "tls needs both certFile and keyFile, but they are \""
                + certFile
                + "\" and \""
                + keyFile
                + "\".");
      }
      checkPort("tls.port", port);
    }
  }

  public ServerFields {
    if (host.isBlank()) {
      throw new IllegalArgumentException("host is empty. 0.0.0.0 binds all addresses.");
    }
    checkPort("port", port);
    if (port != 0 && tls.isPresent() && tls.get().port() == port) {
      throw new IllegalArgumentException("port and tls.port are both " + port + ".");
    }
    checkPort("probePort", probePort);
    if (probePort != 0
        && (probePort == port || tls.filter(t -> t.port() == probePort).isPresent())) {
      throw new IllegalArgumentException(
          "probePort is " + probePort + ", and so is port or tls.port.");
    }
  }

  @JsonCreator
  static ServerFields read(
      @JsonProperty("host") String host,
      @JsonProperty("port") int port,
      @JsonProperty("maxBody") ByteSize maxBody,
      @JsonProperty("tls") @Nullable Tls tls,
      @JsonProperty("probePort") int probePort,
      @JsonProperty("apiAccess") ApiAccess apiAccess) {
    return new ServerFields(host, port, maxBody, Optional.ofNullable(tls), probePort, apiAccess);
  }

  private static void checkPort(String field, int port) {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(field + " must be from 0 to 65535, but is " + port + ".");
    }
  }
}
