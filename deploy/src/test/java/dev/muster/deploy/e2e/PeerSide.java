package dev.muster.deploy.e2e;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import java.util.Optional;

/// A scheduler of gangs in [PeerBench].
enum PeerSide {
  KUBE_SCHEDULER("kube-scheduler alone, no gangs", Optional.empty()),
  NATIVE_GANGS("native gangs", Optional.empty()),
  COSCHEDULING("coscheduling", Optional.empty()),
  MUSTER_GATE("Muster, gates", Optional.of("gate")),
  MUSTER_SWITCH("Muster, start switches", Optional.of("native")),
  MUSTER_FILTER("Muster, filter alone", Optional.of("filter"));

  /// The stock scheduler with the plugin in all places that it has.
  private static final String WITH_COSCHEDULING =
      TestSetup.STOCK_SCHEDULER
          + """
          profiles:
            - schedulerName: default-scheduler
              plugins:
                queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: "*"}]}
                multiPoint: {enabled: [{name: Coscheduling}]}
          """;

  private final String label;
  private final Optional<String> hold;

  PeerSide(String label, Optional<String> hold) {
    this.label = label;
    this.hold = hold;
  }

  /// Its name in the table.
  String label() {
    return label;
  }

  /// The value of `gangs.hold`; empty without Muster.
  Optional<String> hold() {
    return hold;
  }

  /// True if a gang starts whole or not at all.
  boolean isGang() {
    return this != KUBE_SCHEDULER;
  }

  /// Returns the configuration of its kube-scheduler.
  ///
  /// @param shipped that of Muster
  String scheduler(String shipped) {
    return hold.isPresent()
        ? PeerSchedulers.withoutConnection(shipped)
        : this == COSCHEDULING ? WITH_COSCHEDULING : TestSetup.STOCK_SCHEDULER;
  }

  /// Returns the object that declares a gang. kube-scheduler alone ignores it.
  BulkObjects.Creation group(String name, int members) {
    return this == NATIVE_GANGS ? nativeGroup(name, members) : BulkObjects.group(name, members);
  }

  /// Returns a member of a gang.
  PodBuilder member(String gang, int index, int gpus) {
    PodBuilder pod = TestGangs.member(gang, index, gpus);
    return this == NATIVE_GANGS
        ? pod.editSpec()
            .withNewSchedulingGroup()
            .withPodGroupName(gang)
            .endSchedulingGroup()
            .endSpec()
        : pod;
  }

  private static BulkObjects.Creation nativeGroup(String name, int members) {
    GenericKubernetesResource group =
        new GenericKubernetesResourceBuilder()
            .withApiVersion("scheduling.k8s.io/v1alpha2")
            .withKind("PodGroup")
            .withNewMetadata()
            .withName(name)
            .withNamespace("default")
            .endMetadata()
            .addToAdditionalProperties(
                "spec", Map.of("schedulingPolicy", Map.of("gang", Map.of("minCount", members))))
            .build();
    return new BulkObjects.Creation(
        "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups", group);
  }
}
