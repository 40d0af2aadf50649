package dev.muster.deploy.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// Files and ports of one control plane.
///
/// @param folder temporary; holds etcd's data, certificates, tokens and kubeconfigs
/// @param logs kept after the test
record TestSite(Path folder, Path logs, int etcdPort, int etcdPeerPort, int apiPort) {
  /// The name that the API server gives Muster's ServiceAccount.
  private static final String MUSTER = "system:serviceaccount:muster-system:muster";

  static final String AUDIT_LOG = "audit.log";

  static TestSite create(String test) throws IOException {
    Path logs = Path.of("target", "e2e", test).toAbsolutePath();
    deleteTree(logs);
    Files.createDirectories(logs);
    return new TestSite(
        Files.createTempDirectory("muster-e2e-"),
        logs,
        FreePorts.next(),
        FreePorts.next(),
        FreePorts.next());
  }

  Path certificates() {
    return folder.resolve("certificates");
  }

  /// The self-signed certificate that the API server makes at its first start: its own authority.
  Path authority() {
    return certificates().resolve("apiserver.crt");
  }

  Path serviceAccountKey() {
    return folder.resolve("service-account.key");
  }

  Path tokens() {
    return folder.resolve("tokens.csv");
  }

  Path auditPolicy() {
    return folder.resolve("audit-policy.yaml");
  }

  /// The requests of Muster, one JSON line each; kept after the test.
  Path auditLog() {
    return logs.resolve(AUDIT_LOG);
  }

  String etcd() {
    return "http://127.0.0.1:" + etcdPort;
  }

  String etcdPeer() {
    return "http://127.0.0.1:" + etcdPeerPort;
  }

  String api() {
    return "https://127.0.0.1:" + apiPort;
  }

  /// Writes the audit policy: the requests of Muster's ServiceAccount, without their bodies.
  void writeAuditPolicy() throws IOException {
    Files.writeString(
        auditPolicy(),
        """
        apiVersion: audit.k8s.io/v1
        kind: Policy
        omitStages: [RequestReceived]
        rules: [{level: Metadata, users: ["%s"]}]
        """
            .formatted(MUSTER));
  }

  /// Writes the key that signs service-account tokens, and the file of fixed tokens.
  void writeSecrets(List<TestSetup.User> users) throws IOException {
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      String key =
          Base64.getMimeEncoder(64, new byte[] {'\n'})
              .encodeToString(generator.generateKeyPair().getPrivate().getEncoded());
      Files.writeString(
          serviceAccountKey(),
          "-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----\n");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JDK has no RSA", e);
    }
    var lines = new StringBuilder();
    for (var user : users) {
      lines.append(
          "%s,%s,%s,\"%s\"%n"
              .formatted(user.token(), user.name(), user.name(), String.join(",", user.groups())));
    }
    Files.writeString(tokens(), lines);
  }

  /// Writes a kubeconfig that signs in with the token; its path is new at every call.
  Path writeKubeconfig(String token) throws IOException {
    Path file = folder.resolve("kubeconfig-" + UUID.randomUUID());
    return Files.writeString(
        file,
        """
        apiVersion: v1
        kind: Config
        clusters: [{name: e2e, cluster: {server: "%s", certificate-authority: "%s"}}]
        users: [{name: e2e, user: {token: "%s"}}]
        contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}]
        current-context: e2e
        """
            .formatted(api(), authority(), token));
  }

  void deleteFolder() throws IOException {
    deleteTree(folder);
  }

  private static void deleteTree(Path root) throws IOException {
    if (Files.notExists(root)) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
