package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.owner.kind.OwnedPod;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// An owner that is created again under its name has nothing of the deleted one.
class RecreatedOwnerTest extends OwnerScene {
  private Pod member(String name, String uid) {
    return see(name, "Job/sweep/" + uid, "muster.dev/gang: \"true\"");
  }

  @Test
  void pod_of_the_deleted_owner_is_no_member_of_the_new_gang() {
    sweep("o1");
    Pod old = member("old", "o1");
    sweep("o2");

    assertThat(gangOf(member("new", "o2"))).isEqualTo("job-sweep");
    assertThat(gangOf(old)).isNotEqualTo("job-sweep");
  }

  /// The gang of the deleted owner was formed under the same name.
  @Test
  void pods_that_ran_before_the_new_gang_was_formed_are_recorded() {
    sweep("o1");
    member("old", "o1");
    minimum("job-sweep", 3, "Job/sweep", "o1");
    lose("old");
    podGroups.clear();
    sweep("o2");
    runs(member("new", "o2"));

    assertThat(ranWith()).contains("1");
  }

  @Test
  void pods_of_both_owners_are_read_again_when_the_new_one_is_seen() {
    sweep("o1");
    member("old", "o1");
    member("new", "o2");
    again.clear();
    sweep("o2");

    assertThat(again).contains("pod ml/old", "pod ml/new");
  }

  /// Muster names groups of pods so, in which the account of a gang is kept.
  @ParameterizedTest
  @ValueSource(strings = {"x@queue:a", "x@o1", "a b", "a/b", "-", "\u00e4"})
  void owner_reference_that_names_no_object_is_ignored(String name) {
    assertThat(gangOf(see("p", "Job/x/o1", "muster.dev/gang: \"true\""))).isEqualTo("job-x");
    Pod odd = see("q", "Job/x/o1", "muster.dev/gang: \"true\"");
    odd.getMetadata().getOwnerReferences().getFirst().setName(name);
    assertThat(gangOf(odd)).isEmpty();
  }

  @Test
  void pod_that_is_seen_before_its_new_owner_waits_apart() {
    sweep("o1");
    Pod early = member("new", "o2");
    assertThat(gangOf(early)).isEqualTo("job-sweep@o2");
    sweep("o2");

    assertThat(gangOf(early)).isEqualTo("job-sweep");
  }

  /// It was orphaned, or the garbage collector comes late.
  @Test
  void pod_that_the_deleted_owner_leaves_is_alone_after_a_while() {
    sweep("o2");
    Pod old = member("old", "o1");
    requested();

    assertThat(gangOf(old)).isEmpty();
  }

  /// Or a pod whose label is edited again and again would fill the memory.
  @Test
  void uid_that_no_pod_states_any_more_is_forgotten() {
    sweep("o2");
    member("other", "o1");
    member("a", "o9");
    requested();
    member("a", "o2");

    assertThat(gangOf(member("b", "o9"))).isEqualTo("job-sweep@o9");
  }

  @Test
  void uid_is_forgotten_with_its_last_pod() {
    sweep("o2");
    member("other", "o1");
    member("a", "o9");
    requested();
    lose("a");

    assertThat(gangOf(member("b", "o9"))).isEqualTo("job-sweep@o9");
  }

  @Test
  void pod_whose_uid_another_pod_still_states_does_not_wait_again() {
    sweep("o2");
    member("a", "o9");
    Pod other = member("b", "o9");
    requested();
    lose("a");

    assertThat(gangOf(other)).isEmpty();
  }

  @Test
  void pods_that_state_another_uid_are_not_read_again() {
    sweep("o2");
    member("old", "o1");
    requested();
    again.clear();
    member("older", "o0");
    requested();

    assertThat(again).containsExactly("pod ml/older");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a/b"})
  void text_that_is_no_uid_is_ignored(String text) {
    sweep("o2");
    Pod pod = member("a", "o9");
    pod.getMetadata().getOwnerReferences().getFirst().setUid(text);

    assertThat(gangOf(pod)).isEqualTo("job-sweep");
  }

  @Test
  void running_pods_of_the_deleted_owner_do_not_count_as_started() {
    sweep("o2");
    runs(member("old", "o1"));
    member("new", "o2");

    assertThat(ranWith()).isEmpty();
  }

  @Test
  void pod_group_of_the_deleted_owner_does_not_count() {
    sweep("o2");
    Pod pod = member("a", "o2");

    assertThat(minimum("job-sweep", 3, "Job/sweep", "o1")).isZero();
    assertThat(requested()).isEmpty();

    podGroups.clear();
    gangs.edited(gangs.gangOf(OwnedPod.of(pod)).orElseThrow());
    assertThat(requested()).containsExactly("job-sweep=3");
  }

  /// A researcher mends a script and starts it again, more than once a minute.
  @Test
  void pod_group_of_an_owner_that_is_often_created_again_is_requested_at_once() {
    for (String uid : List.of("o1", "o2", "o3", "o4", "o5")) {
      sweep(uid);
      member("of-" + uid, uid);
      settle(1);
      assertThat(wanted).singleElement().returns(3, WantedPodGroup::minimum);

      wanted.clear();
      minimum("job-sweep", 3, "Job/sweep", uid);

      disown("Job", "sweep");
      lose("of-" + uid);
      podGroups.clear();
    }
  }

  private int without(Map<String, String> annotations) {
    return minimumOf(group -> {
      group.getMetadata().setOwnerReferences(List.of());
      group.getMetadata().setAnnotations(annotations);
    });
  }

  private static Map<String, String> writtenFor(String uid) {
    return Map.of("muster.dev/owner-uid", uid);
  }

  /// It was deleted by `kubectl delete --cascade=orphan`.
  @Test
  void pod_group_that_the_deleted_owner_left_is_replaced() {
    sweep("o2");
    Pod pod = member("a", "o2");
    minimum("job-sweep", 2, "Job/sweep", "o1");

    assertThat(without(writtenFor("o1"))).isZero();
    assertThat(requested()).containsExactly("job-sweep=0");

    podGroups.clear();
    gangs.gone(gangs.gangOf(OwnedPod.of(pod)).orElseThrow());
    settle();
    assertThat(wanted)
        .singleElement()
        .satisfies(group -> {
          assertThat(group.minimum()).isEqualTo(3);
          assertThat(group.annotations()).isEqualTo(writtenFor("o2"));
        });
  }

  @Test
  void pod_group_that_lost_its_reference_follows_its_owner() {
    sweep("o2");
    member("a", "o2");
    minimum("job-sweep", 2, "Job/sweep", "o2");

    assertThat(without(writtenFor("o2"))).isEqualTo(3);
    assertThat(requested()).containsExactly("job-sweep=3");
  }

  @Test
  void pod_group_of_a_user_stays_as_it_is() {
    sweep("o2");
    member("a", "o2");
    minimum("job-sweep", 2, "Job/sweep", "o1");

    assertThat(without(Map.of())).isEqualTo(2);
    assertThat(requested()).isEmpty();
  }

  private static final String OF =
      "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: w";

  private void jobSet() {
    own(
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {namespace: ml, name: train, uid: o2}
        spec: {replicatedJobs: [{name: w, template: {spec: {parallelism: 4, template: {spec: %s}}}}]}
        """
            .formatted(GPUS));
  }

  @Test
  void annotation_does_not_state_the_uid() {
    jobSet();
    Pod pod = pod("a", "Job/train-w-0", OF);
    pod.getMetadata().setAnnotations(Map.of("jobset.sigs.k8s.io/jobset-uid", "o1"));

    assertThat(gangOf(pod)).isEqualTo("jobset-train");
  }

  @Test
  void job_set_states_its_uid_in_a_label() {
    jobSet();
    String of = OF + ", ";

    assertThat(gangOf(see("a", "Job/train-w-0", of + "jobset.sigs.k8s.io/jobset-uid: o1")))
        .isEqualTo("jobset-train@o1");
    assertThat(gangOf(see("b", "Job/train-w-0", of + "jobset.sigs.k8s.io/jobset-uid: o2")))
        .isEqualTo("jobset-train");
  }
}
