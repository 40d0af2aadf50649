package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Pods that ran before Muster formed their gang are no half-started gang: they run on.
class StartedInPartTest extends OwnerScene {
  @BeforeEach
  void job_of_three() {
    sweep("o1");
  }

  private Pod member(String name) {
    return see(name, "Job/sweep", "muster.dev/gang: \"true\"");
  }

  @Test
  void pod_group_records_the_pods_that_run_already() {
    runs(member("a"));
    runs(member("b"));
    member("c");

    assertThat(ranWith()).contains("2");
  }

  @Test
  void pods_that_have_succeeded_count_as_started() {
    ends(member("a"), "Succeeded");
    runs(member("b"));

    assertThat(ranWith()).contains("2");
  }

  @Test
  void gang_that_starts_under_muster_records_nothing() {
    member("a");
    member("b");

    assertThat(ranWith()).isEmpty();
  }

  @Test
  void driver_without_gpus_that_runs_early_starts_no_gang() {
    Pod driver = member("driver");
    driver.getSpec().getContainers().getFirst().getResources().setLimits(Map.of());
    runs(driver);
    member("a");

    assertThat(ranWith()).isEmpty();
  }

  @Test
  void pods_that_run_with_devices_of_a_class_have_started() {
    Pod first = member("a");
    first
        .getSpec()
        .getContainers()
        .getFirst()
        .getResources()
        .setLimits(Map.of(WellKnownNames.DEVICES_OF_CLASS + "gpu.nvidia.com", new Quantity("8")));
    runs(first);
    member("b");

    assertThat(ranWith()).contains("1");
  }

  /// Its reservation knows how far it is.
  @Test
  void pod_group_that_was_deleted_during_the_start_records_nothing() {
    Pod first = member("a");
    member("b");
    minimum("job-sweep", 3, "Job/sweep", "o1");
    runs(first);
    podGroups.clear();

    assertThat(ranWith()).isEmpty();
  }

  @Test
  void namespace_that_is_switched_on_takes_running_pods_as_they_are() {
    namespace.put("muster.dev/owner-gangs", "disabled");
    gangs.reread(Set.of());
    runs(member("a"));
    member("b");
    assertThat(requested()).isEmpty();
    namespace.clear();
    gangs.reread(Set.of("ml"));

    assertThat(ranWith()).contains("1");
  }

  @Test
  void pods_that_started_while_the_namespace_was_off_are_taken_as_they_are() {
    Pod first = member("a");
    member("b");
    assertThat(minimum("job-sweep", 3, "Job/sweep", "o1")).isEqualTo(3);
    switchTo("disabled");
    assertThat(minimum("job-sweep", 3, "Job/sweep", "o1")).isZero();
    runs(first);
    switchTo("enabled");
    assertThat(minimum("job-sweep", 3, "Job/sweep", "o1")).isZero();

    assertThat(ranWith()).contains("1");
  }

  @Test
  void pod_group_counts_again_once_it_records_the_pods_that_started_meanwhile() {
    Pod first = member("a");
    switchTo("disabled");
    minimum("job-sweep", 3, "Job/sweep", "o1");
    runs(first);
    switchTo("enabled");
    minimum("job-sweep", 3, "Job/sweep", "o1");

    assertThat(minimumOf(group -> group.getMetadata().setAnnotations(RAN_WITH_1))).isEqualTo(3);
  }

  private static final Map<String, String> RAN_WITH_1 = Map.of("muster.dev/ran-with", "1");

  private void switchTo(String state) {
    namespace.put("muster.dev/owner-gangs", state);
    gangs.reread(Set.of("ml"));
  }
}
