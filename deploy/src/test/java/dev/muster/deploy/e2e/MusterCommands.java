package dev.muster.deploy.e2e;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The command lines of the processes. `deploy/control-plane/README.md` explains each flag.
record MusterCommands(
    Path binary, Path scheduler, TestSite site, TestSetup setup, Path adminKubeconfig) {

  /// The names before 1.28, which newer releases keep as aliases.
  private static final String CONTROLLERS =
      "job,deployment,replicaset,statefulset,disruption,garbagecollector,namespace,serviceaccount,"
          + "resource-claim-controller,ttl-after-finished";

  /// Returns the command lines with another program as the scheduler.
  MusterCommands scheduledBy(Path program) {
    return new MusterCommands(binary, program, site, setup, adminKubeconfig);
  }

  List<String> of(ControlPlaneComponent component) {
    Path program = component == ControlPlaneComponent.SCHEDULER ? scheduler : binary;
    var command = new ArrayList<>(List.of(program.toString(), component.command()));
    command.addAll(
        switch (component) {
          case ETCD -> etcd();
          case API_SERVER -> apiServer();
          case SCHEDULER -> scheduling();
          case CONTROLLERS -> controllers();
          case KUBELETS -> List.of("--kubeconfig=" + adminKubeconfig);
        });
    command.addAll(setup.flags().getOrDefault(component, List.of()));
    return command;
  }

  private List<String> etcd() {
    return List.of(
        "--data-dir=" + site.folder().resolve("etcd"),
        "--listen-client-urls=" + site.etcd(),
        "--advertise-client-urls=" + site.etcd(),
        "--listen-peer-urls=" + site.etcdPeer(),
        "--initial-advertise-peer-urls=" + site.etcdPeer(),
        "--initial-cluster=default=" + site.etcdPeer(),
        "--heartbeat-interval=10",
        "--election-timeout=100",
        "--unsafe-no-fsync",
        "--log-level=warn");
  }

  private List<String> apiServer() {
    return List.of(
        "--etcd-servers=" + site.etcd(),
        "--bind-address=127.0.0.1",
        "--secure-port=" + site.apiPort(),
        "--cert-dir=" + site.certificates(),
        "--authorization-mode=RBAC",
        "--token-auth-file=" + site.tokens(),
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=" + site.serviceAccountKey(),
        "--service-account-signing-key-file=" + site.serviceAccountKey(),
        "--service-cluster-ip-range=10.0.0.0/24",
        "--disable-admission-plugins=ServiceAccount",
        "--delete-collection-workers=8",
        "--audit-policy-file=" + site.auditPolicy(),
        "--audit-log-path=" + site.auditLog());
  }

  private List<String> scheduling() {
    var flags = new ArrayList<>(List.of("--config=" + schedulerFile(), "--secure-port=0", "--v=2"));
    if (setup.isLegacy()) {
      flags.addAll(
          List.of("--policy-config-file=" + policyFile(), "--port=0", "--feature-gates=" + gone()));
    }
    return flags;
  }

  /// Kinds that the old scheduler watches and newer API servers do not serve.
  private static String gone() {
    String version = GoBinary.LEGACY_SCHEDULER.requestedVersion();
    return version.startsWith("1.22.") ? "CSIStorageCapacity=false" : "PodDisruptionBudget=false";
  }

  private List<String> controllers() {
    return List.of(
        "--kubeconfig=" + adminKubeconfig,
        "--leader-elect=false",
        "--secure-port=0",
        "--service-account-private-key-file=" + site.serviceAccountKey(),
        "--controllers=" + CONTROLLERS);
  }

  private Path schedulerFile() {
    return site.folder().resolve("scheduler.yaml");
  }

  private Path policyFile() {
    return site.folder().resolve("policy.json");
  }

  /// Writes the scheduler's configuration with the two entries that only the fixture knows.
  void writeSchedulerFile(String yaml, Path kubeconfig) throws IOException {
    var serialization = new KubernetesSerialization();
    Map<String, Object> configuration = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry :
        ((Map<?, ?>) serialization.unmarshal(yaml, Map.class)).entrySet()) {
      configuration.put(String.valueOf(entry.getKey()), entry.getValue());
    }
    Map<String, Object> connection = new LinkedHashMap<>();
    if (configuration.get("clientConnection") instanceof Map<?, ?> given) {
      given.forEach((key, value) -> connection.put(String.valueOf(key), value));
    }
    connection.put("kubeconfig", kubeconfig.toString());
    configuration.put("clientConnection", connection);
    configuration.put("leaderElection", Map.of("leaderElect", false));
    Files.writeString(schedulerFile(), serialization.asYaml(configuration));
    Files.writeString(policyFile(), setup.policy());
  }
}
