package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.codec.PodFact;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Pods of an earlier run of their gang are distinguished from those of the current one.
class GangRunsTest extends ChangeFilterScene {
  private static PodFact made(String name, String job, String created, String more) {
    Pod pod =
        Yaml.pod(
            """
            metadata:
              namespace: ml
              name: %s
              uid: %s
              creationTimestamp: "2026-11-01T%sZ"
              labels: {scheduling.x-k8s.io/pod-group: g}
              ownerReferences: [{apiVersion: batch/v1, kind: Job, name: %s, uid: u-%s, controller: true}]
            spec:
              schedulerName: default-scheduler
              containers: [{name: c, resources: {requests: {nvidia.com/gpu: "1"}}}]
            %s
            """
                .formatted(name, name, created, job, job, more));
    return CODEC.read(pod);
  }

  private static PodFact done(String name, String job, String created, String over) {
    return made(
        name,
        job,
        created,
        """
        status:
          phase: Succeeded
          conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-11-01T%sZ"}]
        """
            .formatted(over)
            .strip());
  }

  @Test
  void facts_of_an_earlier_run_do_not_affect_the_next_one() throws InterruptedException {
    facts.pod("ml/a-0", done("a-0", "a", "10:00:00", "11:00:00"));
    facts.pod("ml/a-1", done("a-1", "a", "10:00:00", "11:00:05"));
    assertThat(told()).isEqualTo("+a-0@g +a-1@g");

    facts.pod("ml/b-0", made("b-0", "b", "12:00:00", ""));
    assertThat(told()).as("before the newcomer").isEqualTo("-a-0@g -a-1@g +b-0@g");

    facts.pod("ml/b-1", made("b-1", "b", "12:00:00", ""));
    facts.pod("ml/a-0", new PodFact.Nothing());
    assertThat(told()).isEqualTo("+b-1@g");

    facts.pod("ml/b-0", new PodFact.Nothing());
    facts.pod("ml/b-1", new PodFact.Nothing());
    assertThat(told()).isEqualTo("-b-0@g -b-1@g +a-1@g");
  }

  /// Workers without a probe that passes were never ready; their launcher came while they ran.
  @Test
  void pods_never_ready_ran_until_their_containers_ended() throws InterruptedException {
    String neverReady =
        """
        status:
          phase: Succeeded
          conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-11-01T10:00:01Z"}]
          containerStatuses: [{name: c, state: {terminated: {exitCode: 0, finishedAt: "2026-11-01T10:30:00Z"}}}]
        """;
    facts.pod("ml/a-0", made("a-0", "workers", "10:00:00", neverReady.strip()));
    facts.pod("ml/b-0", made("b-0", "launcher", "10:00:05", ""));

    assertThat(told()).isEqualTo("+a-0@g +b-0@g");
  }

  @Test
  void earlier_run_is_recognised_in_any_order_of_its_pods() throws InterruptedException {
    facts.pod("ml/a-0", made("a-0", "a", "12:00:00", ""));
    facts.pod("ml/b-0", done("b-0", "b", "10:00:00", "11:00:00"));

    assertThat(told()).isEqualTo("+a-0@g");
  }

  @Test
  void pods_that_coexist_are_one_run_regardless_of_their_owner() throws InterruptedException {
    facts.pod("ml/w-0", made("w-0", "workers", "10:00:01", ""));
    facts.pod("ml/l", made("l", "launcher", "10:00:00", ""));
    assertThat(told()).isEqualTo("+w-0@g +l@g");

    facts.pod("ml/l", done("l", "launcher", "10:00:00", "11:00:00"));
    facts.pod("ml/w-1", made("w-1", "workers", "11:30:00", ""));
    facts.pod("ml/w-0", done("w-0", "workers", "10:00:01", "11:40:00"));

    assertThat(told()).isEqualTo("+l@g -l@g +w-1@g +w-0@g");
  }

  @Test
  void pod_rejected_by_the_kubelet_does_not_extend_its_run() throws InterruptedException {
    facts.pod("ml/a-0", done("a-0", "a", "10:00:00", "11:00:00"));
    facts.pod("ml/a-1", made("a-1", "a", "10:00:00", "status: {phase: Failed}"));
    assertThat(told()).isEqualTo("+a-0@g +a-1@g");

    facts.pod("ml/b-0", made("b-0", "b", "12:00:00", ""));
    assertThat(told()).isEqualTo("-a-0@g -a-1@g +b-0@g");
  }

  @Test
  void pod_deleted_after_its_end_does_not_extend_its_run() throws InterruptedException {
    PodFact.Ours a1 = (PodFact.Ours) done("a-1", "a", "10:00:00", "11:00:05");
    Member leaving = a1.member().as(new MemberState.Leaving(Optional.empty()));
    facts.pod("ml/a-0", done("a-0", "a", "10:00:00", "11:00:00"));
    facts.pod("ml/a-1", new PodFact.Ours(leaving, a1.own(), a1.problem(), a1.stint()));
    assertThat(told()).isEqualTo("+a-0@g +a-1@g");

    facts.pod("ml/b-0", made("b-0", "b", "12:00:00", ""));
    assertThat(told()).isEqualTo("-a-0@g -a-1@g +b-0@g");
  }

  @Test
  void pod_replaced_by_its_own_job_belongs_to_the_same_run() throws InterruptedException {
    facts.pod("ml/a-0", done("a-0", "a", "10:00:00", "11:00:00"));
    facts.pod("ml/a-1", made("a-1", "a", "12:00:00", ""));

    assertThat(told()).isEqualTo("+a-0@g +a-1@g");
  }
}
