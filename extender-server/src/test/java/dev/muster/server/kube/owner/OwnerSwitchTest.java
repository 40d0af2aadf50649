package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.owner.kind.OwnedPod;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// A kind or a namespace whose gangs are switched on or off has its pods read again.
class OwnerSwitchTest extends OwnerScene {
  private void job(String metadata) {
    own(
        """
        apiVersion: batch/v1
        kind: Job
        metadata: {namespace: ml, name: sweep, uid: o1, labels: {muster.dev/gang: "true"}%s}
        spec: {parallelism: 3, template: {spec: %s}}
        """
            .formatted(metadata, GPUS));
  }

  private Pod member() {
    return see("a", "Job/sweep", "muster.dev/gang: \"true\"");
  }

  @Test
  void pod_that_was_read_before_the_kind_was_watched_is_read_again() {
    watched = false;
    member();
    job("");
    again.clear();
    watched = true;
    gangs.reread(Set.of());

    assertThat(again).contains("pod ml/a");
  }

  @Test
  void pod_group_is_requested_once_the_kind_is_watched() {
    watched = false;
    member();
    job("");
    assertThat(requested()).isEmpty();
    watched = true;
    gangs.reread(Set.of());

    assertThat(requested()).containsExactly("job-sweep=3");
  }

  @Test
  void pod_is_read_again_when_the_kind_is_no_longer_watched() {
    gangs.reread(Set.of());
    job("");
    member();
    again.clear();
    watched = false;
    gangs.reread(Set.of());

    assertThat(again).contains("pod ml/a");
  }

  @Test
  void nothing_is_read_again_without_a_change() {
    gangs.reread(Set.of());
    job("");
    member();
    again.clear();
    gangs.reread(Set.of("other"));

    assertThat(again).isEmpty();
  }

  @Test
  void pod_group_is_requested_once_the_namespace_is_switched_on() {
    namespace.put("muster.dev/owner-gangs", "disabled");
    gangs.reread(Set.of());
    job("");
    member();
    assertThat(requested()).isEmpty();
    namespace.clear();
    gangs.reread(Set.of("ml"));

    assertThat(requested()).containsExactly("job-sweep=3");
  }

  @Test
  void pod_of_an_owner_that_does_not_exist_is_alone_after_a_while() {
    Pod pod = member();
    assertThat(gangOf(pod)).isEqualTo("job-sweep");
    requested();

    assertThat(again).contains("pod ml/a");
    assertThat(gangOf(pod)).isEmpty();
  }

  @Test
  void pod_joins_its_owner_that_appears_late() {
    Pod pod = member();
    requested();
    job("");

    assertThat(gangOf(pod)).isEqualTo("job-sweep");
    assertThat(requested()).containsExactly("job-sweep=3");
  }

  @Test
  void owner_that_is_being_deleted_gets_no_pod_group() {
    job(", deletionTimestamp: \"2026-11-01T12:00:00Z\"");
    member();

    assertThat(requested()).isEmpty();
  }

  @Test
  void pod_group_that_is_deleted_again_and_again_is_requested_ever_less() {
    job("");
    Pod pod = member();
    assertThat(requested()).containsExactly("job-sweep=3");
    gangs.edited(gangs.gangOf(OwnedPod.of(pod)).orElseThrow());

    assertThat(wanted).isEmpty();
  }

  @Test
  void invalid_edit_of_the_pod_group_is_repaired() {
    job("");
    member();
    minimum("job-sweep", 3, "Job/sweep", "o1");
    GenericKubernetesResource group = podGroups.values().iterator().next();
    assertThat(requested()).isEmpty();
    group.setAdditionalProperty("spec", Map.of("minMember", 0));
    gangs.edited(podGroups.keySet().iterator().next());

    assertThat(wanted).extracting(WantedPodGroup::minimum).containsExactly(3);
  }
}
