package dev.muster.server.kube.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectRef;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// A start switch counts by a few facts, whatever else its creator wrote into it.
class SeenSwitchTest {
  private static final String OURS =
      "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, name: owner, uid: g1}";

  private static GenericKubernetesResource group(String owners) {
    return Yaml.group(
        """
        apiVersion: scheduling.k8s.io/v1alpha2
        kind: PodGroup
        metadata:
          namespace: ml
          name: train.p0.gang.muster.dev
          uid: s1
          resourceVersion: "7"
          creationTimestamp: "2026-11-01T09:59:50Z"
          labels: {much: more}
          annotations: {much: more}
          ownerReferences: [%s]
        spec: {schedulingPolicy: {basic: {}}, much: {more: 1}}
        status: {much: {more: 1}}
        """
            .formatted(owners));
  }

  private static String many(int owners) {
    return IntStream.range(0, owners)
        .mapToObj(i -> OURS.replace("owner", "owner-" + i))
        .collect(Collectors.joining(", "));
  }

  private static GenericKubernetesResource trimmed(String owners) {
    GenericKubernetesResource group = group(owners);
    SeenSwitch.trim(group);
    return group;
  }

  @Test
  void gangs_are_those_of_name_and_owner() {
    assertThat(SeenSwitch.of(group(OURS)).gangs())
        .containsExactly(
            new GangId("ml", Origin.POD_GROUP, "train"),
            new GangId("ml", Origin.POD_GROUP, "owner"));
  }

  @Test
  void further_owners_do_not_count() {
    assertThat(SeenSwitch.of(group(many(2_000))).gangs()).hasSize(2);
  }

  @Test
  void only_what_counts_is_kept() {
    GenericKubernetesResource kept = trimmed(many(2_000));

    assertThat(kept.getMetadata().getOwnerReferences()).hasSize(1);
    assertThat(kept.getMetadata().getLabels()).isNullOrEmpty();
    assertThat(kept.getMetadata().getAnnotations()).isNullOrEmpty();
    assertThat(kept.getAdditionalProperties().toString())
        .isEqualTo("{spec={schedulingPolicy={basic={}}}}");
  }

  @Test
  void trimmed_switch_counts_as_before() {
    SeenSwitch kept = SeenSwitch.of(trimmed(OURS));

    assertThat(kept).isEqualTo(SeenSwitch.of(group(OURS)));
    assertThat(kept.starts(new ObjectRef("", "PodGroup", "ml", "owner", "g1"))).isTrue();
    assertThat(trimmed(OURS).getMetadata().getResourceVersion()).isEqualTo("7");
  }

  @Test
  void owner_with_an_endless_name_does_not_count() {
    String endless = OURS.replace("owner", "x".repeat(100_000));

    assertThat(trimmed(endless).getMetadata().getOwnerReferences()).isEmpty();
    assertThat(SeenSwitch.of(group(endless)).gangs())
        .isEqualTo(List.of(new GangId("ml", Origin.POD_GROUP, "train")));
  }
}
