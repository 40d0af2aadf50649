package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The job controllers of `deploy/control-plane/operators/versions`, with the files of their Go
/// modules that an installation applies.
enum JobControllerModule {
  JOBSET(
      "jobset",
      "jobset-system",
      "jobset-",
      "jobset.sigs.k8s.io/jobset-name",
      List.of("jobset.yaml"),
      List.of(
          "components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
          "components/rbac/service_account.yaml",
          "components/rbac/role.yaml",
          "components/rbac/role_binding.yaml",
          "components/rbac/leader_election_role.yaml",
          "components/rbac/leader_election_role_binding.yaml",
          "components/webhook/manifests.yaml")) {
    @Override
    List<String> flags(Place place, String option) {
      return List.of(
          "--config="
              + place.configuration("config.jobset.x-k8s.io/v1alpha1", namespace(), option));
    }
  },
  LWS(
      "lws",
      "lws-system",
      "lws-",
      "leaderworkerset.sigs.k8s.io/name",
      List.of("leaderworkerset.yaml"),
      List.of(
          "crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml",
          "rbac/service_account.yaml",
          "rbac/role.yaml",
          "rbac/role_binding.yaml",
          "rbac/leader_election_role.yaml",
          "rbac/leader_election_role_binding.yaml",
          "webhook/manifests.yaml")) {
    @Override
    List<String> flags(Place place, String option) {
      return List.of(
          "--config=" + place.configuration("config.lws.x-k8s.io/v1alpha1", namespace(), option));
    }
  },
  MPI_OPERATOR(
      "mpi-operator",
      "mpi-operator",
      "",
      "training.kubeflow.org/job-name",
      List.of("mpijob.yaml"),
      List.of(
          "base/kubeflow.org_mpijobs.yaml",
          "base/service-account.yaml",
          "base/cluster-role.yaml",
          "base/cluster-role-binding.yaml")) {
    @Override
    List<String> flags(Place place, String option) {
      return with(option, "-alsologtostderr", "-lock-namespace=" + namespace());
    }
  },
  /// It waits for its webhook's certificate, which it makes itself for the name of its Service. So
  /// the webhook, which only validates, is there and is never asked.
  TRAINING_OPERATOR(
      "training-operator",
      "kubeflow",
      "",
      "training.kubeflow.org/job-name",
      List.of("pytorchjob.yaml", "tfjob.yaml"),
      List.of(
          "base/crds/kubeflow.org_pytorchjobs.yaml",
          "base/crds/kubeflow.org_tfjobs.yaml",
          "base/rbac/service-account.yaml",
          "base/rbac/role.yaml",
          "base/rbac/cluster-role-binding.yaml",
          "base/webhook/manifests.yaml")) {
    @Override
    List<String> flags(Place place, String option) {
      return with(
          option,
          "--metrics-bind-address=0",
          "--health-probe-bind-address=0",
          "--webhook-server-port=" + place.webhookPort(),
          "--enable-scheme=pytorchjob",
          "--enable-scheme=tfjob");
    }
  },
  /// Its webhook is off, as it is by default.
  KUBERAY(
      "kuberay",
      "ray-system",
      "",
      "ray.io/cluster",
      List.of("raycluster.yaml"),
      List.of(
          "crd/bases/ray.io_rayclusters.yaml",
          "crd/bases/ray.io_rayjobs.yaml",
          "crd/bases/ray.io_rayservices.yaml",
          "rbac/service_account.yaml",
          "rbac/role.yaml",
          "rbac/role_binding.yaml",
          "rbac/leader_election_role.yaml",
          "rbac/leader_election_role_binding.yaml")) {
    @Override
    List<String> flags(Place place, String option) {
      return with(
          option,
          "--metrics-addr=0",
          "--health-probe-bind-address=0",
          "--enable-leader-election=true",
          "--leader-election-namespace=" + namespace());
    }
  };

  private final String program;
  private final String namespace;
  private final String namePrefix;
  private final String podLabel;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<String> samples;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<String> files;

  JobControllerModule(
      String program,
      String namespace,
      String namePrefix,
      String podLabel,
      List<String> samples,
      List<String> files) {
    this.program = program;
    this.namespace = namespace;
    this.namePrefix = namePrefix;
    this.podLabel = podLabel;
    this.samples = samples;
    this.files = files;
  }

  /// Where a controller runs in a test.
  ///
  /// @param folder has a certificate for loopback, and takes configuration files
  record Place(Path folder, int webhookPort) {
    /// Writes a configuration file as JobSet and LeaderWorkerSet read it; they share its fields.
    Path configuration(String apiVersion, String namespace, String more) {
      String text =
          """
          apiVersion: %s
          kind: Configuration
          leaderElection: {leaderElect: true, resourceNamespace: %s}
          internalCertManagement: {enable: false}
          webhook: {host: 127.0.0.1, port: %d, certDir: %s}
          metrics: {bindAddress: "0"}
          health: {healthProbeBindAddress: "0"}
          %s
          """
              .formatted(apiVersion, namespace, webhookPort, folder, more);
      try {
        return Files.writeString(folder.resolve(namespace + ".yaml"), text);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  String program() {
    return program;
  }

  /// The namespace that its kustomization names.
  String namespace() {
    return namespace;
  }

  /// What its kustomization puts before names.
  String namePrefix() {
    return namePrefix;
  }

  /// The label by which it marks the pods of one job.
  String podLabel() {
    return podLabel;
  }

  /// The files of its jobs in `deploy/examples/operators`.
  List<String> samples() {
    return samples;
  }

  /// The files below `manifests` of its build folder, in the order in which they are applied.
  List<String> files() {
    return files;
  }

  /// The flags with which it runs in a test.
  ///
  /// @param option a flag, or for JobSet and LeaderWorkerSet a line of its configuration; may be
  ///   empty
  abstract List<String> flags(Place place, String option);

  private static List<String> with(String option, String... flags) {
    return Stream.concat(Stream.of(flags), Stream.of(option))
        .filter(flag -> !flag.isEmpty())
        .toList();
  }
}
