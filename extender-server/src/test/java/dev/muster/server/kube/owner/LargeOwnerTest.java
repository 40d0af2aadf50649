package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.config.OwnerEntry;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// No size is read from a part of an owner.
class LargeOwnerTest extends OwnerScene {
  private static final OwnerEntry SIMULATION =
      new OwnerEntry(
          "example.com/v1",
          "Simulation",
          "simulations",
          "sim",
          Optional.of("spec.workers.count"),
          Optional.empty());

  /// More values than are read of an object.
  private static final String MANY = "[" + "1, ".repeat(100_000) + "1]";

  LargeOwnerTest() {
    super(List.of(SIMULATION));
  }

  /// Returns a JobSet with two roles of two pods.
  ///
  /// @param between a value between the roles
  private static String jobSet(String uid, String labels, String between) {
    String job = "{replicas: 2, template: {spec: {template: {spec: %s}}}".formatted(GPUS);
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {namespace: ml, name: train, uid: %s, labels: {%s}}
    spec: {replicatedJobs: [%s, name: a, x: %s}, %s, name: b}]}
    """
        .formatted(uid, labels, job, between, job);
  }

  private Pod member(String role) {
    return see(
        role + "-0",
        "Job/train-" + role,
        "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: " + role);
  }

  private Pod workerOfSimulation(String fields) {
    Pod worker = see("s-0", "Simulation/s/o1", "sim: s");
    own(
        """
        apiVersion: example.com/v1
        kind: Simulation
        metadata: {namespace: ml, name: s, uid: o1}
        %s
        """
            .formatted(fields));
    return worker;
  }

  @Test
  void jobs_behind_the_part_that_is_read_do_not_make_the_gang_smaller() {
    own(jobSet("o1", "", MANY));
    member("a");

    assertThat(requested()).isEmpty();
  }

  @Test
  void pods_of_an_owner_that_was_never_read_wait_however_long() {
    Pod pod = member("a");
    settle(); // the owner is missing
    own(jobSet("o1", "", MANY));
    assertThat(again).containsExactly("pod ml/a-0", "pod ml/a-0");
    member("a");
    settle();

    assertThat(gangOf(pod)).isEqualTo("jobset-train");
  }

  @Test
  void size_that_was_read_before_stays_in_force() {
    own(jobSet("o1", "", "1"));
    member("a");
    own(jobSet("o1", "", MANY));

    assertThat(requested()).containsExactly("jobset-train=4");
  }

  @Test
  void size_of_an_earlier_owner_is_not_that_of_a_large_one() {
    own(jobSet("o0", "", "1"));
    own(jobSet("o1", "", MANY));
    see(
        "a-0",
        "Job/train-a",
        "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: a, jobset.sigs.k8s.io/jobset-uid: o1");

    assertThat(requested()).isEmpty();
  }

  @Test
  void owner_that_became_smaller_has_a_gang() {
    member("a");
    own(jobSet("o1", "", MANY));
    own(jobSet("o1", "", "1"));

    assertThat(requested()).containsExactly("jobset-train=4");
  }

  @Test
  void pods_of_a_large_owner_that_was_deleted_are_alone() {
    Pod pod = member("a");
    own(jobSet("o1", "", MANY));
    disown("JobSet", "train");
    settle();

    assertThat(gangOf(pod)).isEmpty();
  }

  @Test
  void pods_of_a_large_owner_without_gang_are_alone() {
    own(jobSet("o1", "muster.dev/gang: \"false\"", MANY));

    assertThat(gangOf(member("a"))).isEmpty();
  }

  @Test
  void large_fields_that_state_no_size_do_not_displace_those_that_do() {
    workerOfSimulation(
        "data: %s\nspec: {a: %s, workers: {count: 3}}\nstatus: {a: %s}"
            .formatted(MANY, MANY, MANY));

    assertThat(requested()).containsExactly("simulation-s=3");
  }

  @Test
  void large_field_beside_the_size_makes_it_unknown() {
    Pod worker = workerOfSimulation("spec: {workers: {a: %s, count: 3}}".formatted(MANY));
    settle();

    assertThat(gangOf(worker)).isEqualTo("simulation-s");
    assertThat(requested()).isEmpty();
  }
}
