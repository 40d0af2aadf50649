package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Pods whose owner was not seen: its watch is late, or it does not exist.
class UnknownOwnersTest extends OwnerScene {
  private static final OwnerKey SWEEP = new OwnerKey("Job", "ml", "sweep");

  private Pod member() {
    return see("a", "Job/sweep", "muster.dev/gang: \"true\"");
  }

  private void declared(String gang) {
    podGroups.put(new GangId("ml", GangId.Origin.POD_GROUP, gang), new GenericKubernetesResource());
  }

  @Test
  void pod_waits_for_an_owner_that_exists_however_late_its_watch_is() {
    exist = true;
    Pod pod = member();
    for (int minute = 0; minute < 60; minute++) {
      settle(60);
    }

    assertThat(gangOf(pod)).isEqualTo("job-sweep");
  }

  @Test
  void pauses_between_lookups_of_an_owner_double_up_to_two_minutes() {
    exist = true;
    member();
    List<Integer> at = new ArrayList<>();
    for (int second = 1; second <= 600; second++) {
      settle(1);
      if (lookups.size() > at.size()) {
        at.add(second);
      }
    }

    assertThat(at).containsExactly(10, 30, 70, 150, 270, 390, 510);
  }

  @Test
  void owner_that_was_seen_is_not_looked_up() {
    member();
    sweep("o1");
    settle(60);

    assertThat(lookups).isEmpty();
  }

  @Test
  void owner_that_does_not_exist_is_looked_up_once() {
    member();
    settle(60);
    settle(60);

    assertThat(lookups).containsExactly("sweep/o1");
  }

  @Test
  void owner_that_no_pod_states_any_more_is_not_looked_up() {
    member();
    lose("a");
    settle(60);

    assertThat(lookups).isEmpty();
  }

  @Test
  void lookup_that_ends_after_the_owner_was_seen_changes_nothing() {
    exist = true;
    member();
    settle(10);
    sweep("o1");
    again.clear();
    gangs.absent(SWEEP, "o1");

    assertThat(again).isEmpty();
  }

  /// Or it would be a lone victim after a restart, and its reservation would lose it.
  @Test
  void running_pod_of_an_unknown_owner_is_in_the_gang_that_has_a_pod_group() {
    declared("job-sweep");
    Pod pod = member();
    runs(pod);

    assertThat(gangOf(pod)).isEqualTo("job-sweep");
  }

  /// The owner may be of one pod, and a pod with a node would never leave the gang.
  @Test
  void running_pod_of_an_unknown_owner_without_pod_group_is_alone() {
    Pod pod = member();
    runs(pod);

    assertThat(gangOf(pod)).isEmpty();
  }

  @Test
  void pod_of_an_unknown_owner_is_in_the_part_that_has_a_pod_group() {
    declared("jobset-train");
    declared("jobset-train.driver");
    Pod pod =
        see(
            "d",
            "Job/train-driver-0",
            "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: driver");

    assertThat(gangOf(pod)).isEqualTo("jobset-train.driver");
  }
}
