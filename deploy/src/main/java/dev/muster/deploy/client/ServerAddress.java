package dev.muster.deploy.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options that name a Muster, and the token and certificates for it.
public final class ServerAddress {
  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "Address of a Muster, such as http://127.0.0.1:8888 for the demo. Default:"
              + " $MUSTER_SERVER, else the cluster of the kubeconfig.")
  private @Nullable String server = System.getenv("MUSTER_SERVER");

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with a bearer token for --server.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--certificate-authority",
      paramLabel = "FILE",
      description = "Certificates in PEM that sign the certificate of --server.")
  private @Nullable Path authority;

  @Option(
      names = "--service",
      defaultValue = "muster-system/muster",
      paramLabel = "NAMESPACE/NAME",
      description = "The Service of Muster in the cluster. Default: ${DEFAULT-VALUE}.")
  private String service = "muster-system/muster";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  /// Connects to the Muster of `--server`, else to that in the cluster of the kubeconfig.
  ///
  /// @param kubeconfig kubeconfig that the caller named; it counts more than `$MUSTER_SERVER`
  public PageSource open(Optional<Path> kubeconfig) throws IOException {
    String address = kubeconfig.isPresent() && !isNamed() ? null : server;
    if (address == null || address.isBlank()) {
      if (tokenFile != null || authority != null) {
        throw new ParameterException(
            spec.commandLine(),
            "--token-file and --certificate-authority belong to --server. A kubeconfig has its"
                + " own.");
      }
      return ClusterServer.open(kubeconfig, ServiceName.parse(service));
    }
    Optional<String> token =
        tokenFile == null ? Optional.empty() : Optional.of(Files.readString(tokenFile).strip());
    return new DirectServer(
        address, token, authority == null ? Optional.empty() : Optional.of(trusting(authority)));
  }

  /// True if the caller gave `--server`.
  boolean isNamed() {
    return spec.commandLine().getParseResult().hasMatchedOption("--server");
  }

  private static SSLContext trusting(Path file) throws IOException {
    try (InputStream pem = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("authority-" + number++, each);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (CertificateException _) {
      throw new IllegalArgumentException(file + ": has no certificates in PEM.");
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java has TLS.", impossible);
    }
  }
}
