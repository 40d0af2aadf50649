package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.owner.kind.OwnedPod;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

/// An owner that is created again under its name has nothing of the deleted one.
class RecreatedOwnerTest extends OwnerScene {
  private void job(String uid) {
    own(
        """
        apiVersion: batch/v1
        kind: Job
        metadata: {namespace: ml, name: sweep, uid: %s, labels: {muster.dev/gang: "true"}}
        spec: {parallelism: 3, template: {spec: %s}}
        """
            .formatted(uid, GPUS));
  }

  private Pod member(String name, String uid) {
    return see(name, "Job/sweep/" + uid, "muster.dev/gang: \"true\"");
  }

  @Test
  void pod_of_the_deleted_owner_is_no_member_of_the_new_gang() {
    job("o1");
    Pod old = member("old", "o1");
    job("o2");

    assertThat(gangOf(member("new", "o2"))).isEqualTo("job-sweep");
    assertThat(gangOf(old)).isNotEqualTo("job-sweep");
  }

  @Test
  void pods_of_both_owners_are_read_again_when_the_new_one_is_seen() {
    job("o1");
    member("old", "o1");
    member("new", "o2");
    again.clear();
    job("o2");

    assertThat(again).contains("pod ml/old", "pod ml/new");
  }

  @Test
  void pod_that_is_seen_before_its_new_owner_waits_apart() {
    job("o1");
    Pod early = member("new", "o2");
    assertThat(gangOf(early)).isEqualTo("job-sweep.o2");
    job("o2");

    assertThat(gangOf(early)).isEqualTo("job-sweep");
  }

  /// It was orphaned, or the garbage collector comes late.
  @Test
  void pod_that_the_deleted_owner_leaves_is_alone_after_a_while() {
    job("o2");
    Pod old = member("old", "o1");
    requested();

    assertThat(gangOf(old)).isEmpty();
  }

  @Test
  void running_pods_of_the_deleted_owner_do_not_count_as_started() {
    job("o2");
    runs(member("old", "o1"));
    member("new", "o2");

    assertThat(ranWith()).isEmpty();
  }

  @Test
  void pod_group_of_the_deleted_owner_does_not_count() {
    job("o2");
    Pod pod = member("a", "o2");

    assertThat(minimum("job-sweep", 3, "Job/sweep", "o1")).isZero();
    assertThat(requested()).isEmpty();

    podGroups.clear();
    gangs.edited(gangs.gangOf(OwnedPod.of(pod)).orElseThrow());
    assertThat(requested()).containsExactly("job-sweep=3");
  }

  @Test
  void job_set_states_its_uid_in_a_label() {
    own(
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {namespace: ml, name: train, uid: o2}
        spec: {replicatedJobs: [{name: w, template: {spec: {parallelism: 4, template: {spec: %s}}}}]}
        """
            .formatted(GPUS));
    String of = "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: w, ";

    assertThat(gangOf(see("a", "Job/train-w-0", of + "jobset.sigs.k8s.io/jobset-uid: o1")))
        .isEqualTo("jobset-train.o1");
    assertThat(gangOf(see("b", "Job/train-w-0", of + "jobset.sigs.k8s.io/jobset-uid: o2")))
        .isEqualTo("jobset-train");
  }
}
