package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.MemberState.EarlyFailure;
import dev.muster.core.gang.NodeId;
import dev.muster.server.kube.Yaml;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a pod says about a start that went wrong.
class PodStartTest {
  private static final EarlyFailure REJECTED = new EarlyFailure(new NodeId("n1"), true);
  private static final EarlyFailure DIED = new EarlyFailure(new NodeId("n1"), false);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0/3 nodes are available: persistentvolumeclaim \"data\" not found. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling. | persistentvolumeclaim \"data\" not found",
        "0/1 nodes are available: persistentvolumeclaim \"absent\" not found. not found | persistentvolumeclaim \"absent\" not found",
        "0/2 nodes are available: 1 muster: reserved on another node, 1 node(s) didn't have free ports for the requested pod ports. preemption: not eligible due to preemptionPolicy=Never. | node(s) didn't have free ports for the requested pod ports",
        "0/5000 nodes are available: 10 node(s) didn't match pod affinity rules, 4990 Insufficient cpu. no new claims to deallocate, preemption: 0/5000 nodes are available. | Insufficient cpu, node(s) didn't match pod affinity rules",
        "0/1 nodes are available: 1 node(s) had untolerated taint(s) {a: , b: c}. | node(s) had untolerated taint(s) {a: , b: c}",
        "running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded | running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded"
      })
  void reasons_of_kube_scheduler_have_no_numbers(String message, String reasons) {
    assertThat(PodStart.reasons(message)).contains(reasons);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0/3 nodes are available: 3 muster: gang g waits: Fragmented.",
        "0/3 nodes are available: 3 muster: gang ml/g waits: WaitingForCapacity. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."
      })
  void answer_of_muster_is_no_reason_of_kube_scheduler(String message) {
    assertThat(PodStart.reasons(message)).isEmpty();
  }

  @Test
  void long_reasons_are_cut() {
    assertThat(PodStart.reasons("x".repeat(5_000)).orElseThrow()).hasSize(256).endsWith("x…");
  }

  @Test
  void equal_reasons_of_other_numbers_of_nodes_are_equal() {
    assertThat(PodStart.reasons("0/30 nodes are available: 10 B, 20 A."))
        .isEqualTo(PodStart.reasons("0/50 nodes are available: 2 A, 48 B."));
  }

  @Test
  void number_of_nodes_that_kube_scheduler_knew_is_read() {
    assertThat(PodStart.nodes("0/30 nodes are available: 10 B, 20 A.")).contains(30);
    assertThat(PodStart.nodes("running PreBind plugin \"VolumeBinding\"")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"UnexpectedAdmissionError", "TopologyAffinityError", "OutOfnvidia.com/gpu", ""})
  void pod_without_a_started_container_was_rejected(String reason) {
    assertThat(failure("reason: '" + reason + "'")).contains(REJECTED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Evicted", "DeadlineExceeded", "NodeShutdown", "Terminated"})
  void pod_ended_by_others_did_not_fail_early(String reason) {
    assertThat(failure("reason: " + reason)).isEmpty();
  }

  @Test
  void disrupted_pod_did_not_fail_early() {
    assertThat(failure("conditions: [{type: DisruptionTarget, status: 'True'}]")).isEmpty();
  }

  @Test
  void pod_that_ran_two_seconds_died_early() {
    assertThat(failure(ran("10:00:00", "10:00:02"))).contains(DIED);
  }

  @Test
  void pod_that_ran_a_minute_did_not_die_early() {
    assertThat(failure(ran("10:00:00", "10:01:00"))).isEmpty();
  }

  @Test
  void pod_whose_init_container_failed_was_not_rejected() {
    assertThat(failure("init" + ran("10:00:00", "10:00:01").replaceFirst("c", "C"))).contains(DIED);
  }

  private static String ran(String start, String end) {
    return "containerStatuses: [{name: a, state: {terminated: {exitCode: 1, startedAt: '2026-11-01T%sZ', finishedAt: '2026-11-01T%sZ'}}}]"
        .formatted(start, end);
  }

  private static Optional<EarlyFailure> failure(String status) {
    return PodStart.failure(
        Yaml.pod(
            """
            metadata: {name: p, namespace: ml, uid: u}
            spec: {nodeName: n1, containers: [{name: a}]}
            status:
              phase: Failed
              %s
            """
                .formatted(status)));
  }
}
