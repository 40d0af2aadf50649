package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The PodGroups that Muster writes for owners follow the owners.
class OwnerGangsTest extends OwnerScene {
  private static String job(int parallelism, String uid, String metadata) {
    return """
    apiVersion: batch/v1
    kind: Job
    metadata: {namespace: ml, name: sweep, uid: %s%s}
    spec: {parallelism: %d, template: {spec: %s}}
    """
        .formatted(uid, metadata, parallelism, GPUS);
  }

  private static final String ASKS = ", labels: {muster.dev/gang: \"true\", team: nlp}";

  private Pod member(String name) {
    return see(name, "Job/sweep", "muster.dev/gang: \"true\"");
  }

  @Test
  void job_that_asks_is_a_gang() {
    own(job(3, "o1", ASKS));

    assertThat(gangOf(member("a"))).isEqualTo("job-sweep");
    assertThat(requested()).containsExactly("job-sweep=3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{deviceclass.resource.kubernetes.io/gpu.nvidia.com: 8} | job-sweep",
        "{deviceclass.resource.kubernetes.io/gpu.nvidia.com: 0} | ''",
        "{cpu: 2} | ''",
      })
  void job_that_asks_for_devices_of_a_class_is_a_gang(String limits, String gang) {
    own(job(3, "o1", ASKS).replace("{nvidia.com/gpu: 8}", limits));

    assertThat(gangOf(member("a"))).isEqualTo(gang);
  }

  @Test
  void pod_of_an_unlabelled_job_is_alone() {
    assertThat(gangOf(see("a", "Job/sweep", ""))).isEmpty();
  }

  @Test
  void indexes_that_have_failed_for_good_do_not_count() {
    own(job(5, "o1", ASKS) + "status: {failed: 3, failedIndexes: \"0,2-3\"}\n");
    member("a");

    assertThat(requested()).containsExactly("job-sweep=2");
  }

  @Test
  void last_index_stays_a_member_when_the_others_have_failed() {
    own(job(2, "o1", ASKS) + "status: {failedIndexes: \"1\"}\n");
    assertThat(gangOf(member("a"))).isEqualTo("job-sweep");
  }

  @Test
  void job_of_one_pod_is_no_gang() {
    own(job(1, "o1", ASKS));

    assertThat(gangOf(member("a"))).isEmpty();
  }

  @Test
  void request_is_repeated_until_the_pod_group_is_seen() {
    own(job(3, "o1", ASKS));
    member("a");
    assertThat(requested()).containsExactly("job-sweep=3");
    assertThat(requested()).containsExactly("job-sweep=3");

    var group = minimum("job-sweep", 3, "Job/sweep", "o1");
    assertThat(group).isEqualTo(3);
    assertThat(requested()).containsExactly("job-sweep=3"); // its labels are missing
  }

  /// No time passes between the changes.
  @Test
  void owner_that_changes_often_causes_one_request_for_its_last_state() {
    own(job(3, "o1", ASKS));
    member("a");
    settle();
    wanted.clear();
    for (int size = 4; size <= 12; size++) {
      own(job(size, "o1", ASKS));
    }

    assertThat(wanted).isEmpty();
    assertThat(requested()).containsExactly("job-sweep=12");
  }

  /// Its PodGroup was refused for long, so that it is tried once a minute.
  @Test
  void owner_that_was_corrected_does_not_wait_for_a_minute() {
    own(job(3, "o1", ASKS));
    member("a");
    for (int tries = 0; tries < 8; tries++) {
      settle();
    }
    wanted.clear();
    own(job(5, "o1", ASKS));
    settle(2);

    assertThat(wanted).extracting(WantedPodGroup::minimum).containsExactly(5);
  }

  @Test
  void size_of_the_owner_is_in_force_before_the_pod_group_follows() {
    own(job(3, "o1", ASKS));
    member("a");
    own(job(5, "o1", ASKS));

    assertThat(again).contains("group ml/job-sweep");
    assertThat(minimum("job-sweep", 3, "Job/sweep", "o1")).isEqualTo(5);
    assertThat(requested()).containsExactly("job-sweep=5");
  }

  /// An owner can have thousands of PodGroups, and a pod has one. Without it, the pod could start
  /// with an earlier size of its gang.
  @Test
  void pod_group_is_read_at_once_for_its_first_pod_and_in_its_turn_for_its_owner() {
    own(job(3, "o1", ASKS));
    member("a");
    own(job(5, "o1", ASKS));

    assertThat(again).containsExactly("group now ml/job-sweep", "group ml/job-sweep");
  }

  @Test
  void owner_that_leaves_its_queue_takes_its_pod_group_along() {
    own(job(3, "o1", ", labels: {muster.dev/gang: \"true\"}"));
    member("a");
    minimum("job-sweep", 3, "Job/sweep", "o1");
    podGroups
        .values()
        .forEach(group -> group.getMetadata().setLabels(Map.of("muster.dev/queue", "nlp")));
    gangs.settle();

    assertThat(wanted.getFirst().labels()).containsEntry("muster.dev/queue", null);
  }

  @Test
  void pod_group_of_a_user_stays_as_it_is() {
    own(job(3, "o1", ASKS));
    member("a");

    assertThat(minimum("job-sweep", 2, "Workflow/mine", "o7")).isEqualTo(2);
    assertThat(requested()).isEmpty();
  }

  @Test
  void status_of_an_owner_reads_nothing_again() {
    own(job(3, "o1", ASKS));
    member("a");
    again.clear();
    own(job(3, "o1", ASKS + ", resourceVersion: \"7\""));

    assertThat(again).isEmpty();
  }

  @Test
  void namespace_can_switch_the_gangs_of_owners_off() {
    namespace.put("muster.dev/owner-gangs", "disabled");
    own(job(3, "o1", ASKS));

    assertThat(gangOf(member("a"))).isEmpty();
    assertThat(requested()).isEmpty();
  }

  @Test
  void last_pods_of_a_deleted_owner_stay_members() {
    own(job(3, "o1", ASKS));
    Pod pod = member("a");
    disown("Job", "sweep");
    assertThat(requested()).isEmpty();
    assertThat(gangOf(pod)).isEqualTo("job-sweep");
  }
}
