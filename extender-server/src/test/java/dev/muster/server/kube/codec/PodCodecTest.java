package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.server.kube.Yaml;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodCodecTest extends PodCodecScene {
  private static MemberState state(String metadata, String spec, String status) {
    return ours(metadata, spec, status).member().state();
  }

  @Test
  void lone_pod_is_a_gang_of_one_with_its_own_constraints() {
    var fact =
        ours(
            "labels: {muster.dev/queue: research}, annotations: {muster.dev/topology-required: rack, muster.dev/gpu-models: 'H100, A100', muster.dev/mix-gpu-models: 'true'}",
            "",
            "nominatedNodeName: gpu-07");

    GangId gang = new GangId("ml", Origin.POD, "train-3");
    MemberId id = new MemberId("ml", "train-3", "u3");
    assertThat(fact.member().id()).isEqualTo(id);
    assertThat(fact.member().gang()).isEqualTo(gang);
    assertThat(fact.member().rank()).isEqualTo(3);
    assertThat(fact.member().priority()).isEqualTo(100);
    GangSpec spec = fact.own().orElseThrow();
    assertThat(spec.minCount()).isEqualTo(1);
    assertThat(spec.queue()).isEqualTo("research");
    assertThat(spec.wishes().topology())
        .isEqualTo(TopologyConstraint.of(Optional.of("rack"), Optional.empty()));
    assertThat(spec.wishes().gpus())
        .isEqualTo(new GpuModelPreference(List.of("H100", "A100"), true));
    assertThat(spec.createdAt()).isEqualTo(Instant.parse("2026-11-01T10:00:00Z"));
    assertThat(spec.recorded().get(id)).contains(new NodeId("gpu-07"));
  }

  @Test
  void gated_lone_pod_records_no_promise() {
    var fact = ours("", "schedulingGates: [{name: muster.dev/gang}]", "nominatedNodeName: gpu-07");

    assertThat(fact.own().orElseThrow().recorded().isEmpty()).isTrue();
    assertThat(fact.own().orElseThrow().queue()).isEqualTo("ml");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          mix-gpu-models | maybe      | it must be true or false.
          gpu-models     | ', '       | it must name models, such as H100,A100.
          max-count      | 1000000000 | it must be a whole number, 1 to 999999999.
          """)
  void invalid_constraint_of_a_lone_pod_is_reported_and_the_pod_is_seen(
      String key, String wish, String words) {
    var fact = ours("annotations: {muster.dev/%s: '%s'}".formatted(key, wish), "", "");

    assertThat(fact.own()).isEmpty();
    assertThat(fact.problem().orElseThrow().message())
        .isEqualTo("The annotation muster.dev/%s is (%s); %s", key, wish.strip(), words);
  }

  @Test
  void pod_with_a_non_preempting_priority_class_preempts_no_gang() {
    assertThat(stopsOthers("preemptionPolicy: Never")).isFalse();
    assertThat(stopsOthers("preemptionPolicy: PreemptLowerPriority")).isTrue();
    assertThat(stopsOthers("")).isTrue();
  }

  private static boolean stopsOthers(String spec) {
    String spared = "annotations: {muster.dev/preemptible: \"false\"}";
    return ours(spared, spec, "").member().wishes().stopping().mayStopOthers();
  }

  @Test
  void member_with_an_invalid_constraint_is_not_started_without_it() {
    String gang =
        "labels: {scheduling.x-k8s.io/pod-group: g},"
            + " annotations: {muster.dev/topology-required: rack, muster.dev/layout: spread}";

    assertThat(CODEC.read(Yaml.pod(yaml(gang, "", ""))))
        .isInstanceOfSatisfying(
            PodFact.Unreadable.class,
            held -> assertThat(held.problem().message()).contains("muster.dev/layout", "spread"));
    assertThat(ours(gang, "nodeName: n1", ACCEPTED).problem()).as("it runs").isPresent();
  }

  @Test
  void pod_may_state_the_maximum_of_its_gang() {
    String gang =
        "labels: {scheduling.x-k8s.io/pod-group: g}, annotations: {muster.dev/max-count: '%s'}";

    assertThat(ours(gang.formatted(2), "", "").member().wishes().maxCount()).contains(2);
    assertThat(CODEC.read(Yaml.pod(yaml(gang.formatted("lots"), "", ""))))
        .isInstanceOfSatisfying(
            PodFact.Unreadable.class,
            held -> assertThat(held.problem().message()).contains("muster.dev/max-count", "lots"));
  }

  @Test
  void queue_as_an_annotation_is_reported_and_the_namespace_decides() {
    PodFact.Ours fact = ours("annotations: {muster.dev/queue: research}", "", "");

    assertThat(fact.own()).isPresent();
    assertThat(fact.problem().orElseThrow().message())
        .isEqualTo(
            "The annotation muster.dev/queue (research) is unknown and ignored. It is supported as a label only.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          labels: {scheduling.x-k8s.io/pod-group: g}                                                        | POD_GROUP | g
          labels: {scheduling.x-k8s.io/pod-group: g}, annotations: {scheduling.k8s.io/group-name: v}        | POD_GROUP | g
          annotations: {scheduling.k8s.io/group-name: v}                                                    | VOLCANO   | v
          annotations: {scheduling.volcano.sh/group-name: v}                                                | VOLCANO   | v
          labels: {scheduling.x-k8s.io/pod-group: ''}                                                       | POD       | train-3
          """)
  void finds_the_gang_in_every_dialect(String metadata, Origin origin, String name) {
    assertThat(ours(metadata, "", "").member().gang()).isEqualTo(new GangId("ml", origin, name));
  }

  @Test
  void finds_the_native_gang_unless_a_label_names_another() {
    String spec = "schedulingGroup: {podGroupName: n}";

    assertThat(ours("", spec, "").member().gang()).isEqualTo(new GangId("ml", Origin.NATIVE, "n"));
    assertThat(ours("labels: {scheduling.x-k8s.io/pod-group: g}", spec, "").member().gang())
        .isEqualTo(new GangId("ml", Origin.POD_GROUP, "g"));
  }

  @Test
  void pod_without_an_index_ranks_first() {
    assertThat(MemberRank.of("driver", Map.of(), Map.of())).isZero();
  }

  @Test
  void reads_the_state_of_a_pod() {
    NodeId node = new NodeId("n1");
    Optional<Instant> due = Optional.of(Instant.parse("2026-11-01T11:00:00Z"));
    String refused = "conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]";

    assertThat(state("", "", "")).isEqualTo(new MemberState.Waiting(Optional.empty(), false));
    assertThat(state("", "", refused)).isEqualTo(new MemberState.Waiting(Optional.empty(), true));
    assertThat(
            state(
                "",
                "",
                "nominatedNodeName: n1\n" + refused.replace("Unschedulable", "SchedulingGated")))
        .isEqualTo(new MemberState.Waiting(Optional.of(node), false));
    assertThat(state("", "schedulingGates: [{name: muster.dev/gang}]", ""))
        .isEqualTo(new MemberState.Held(false));
    assertThat(
            state(
                "",
                "schedulingGates: [{name: muster.dev/gang}, {name: kueue.x-k8s.io/admission}]",
                ""))
        .isEqualTo(new MemberState.Held(true));
    assertThat(state("", "nodeName: n1", ACCEPTED))
        .isEqualTo(new MemberState.Bound(node, Instant.parse("2026-11-01T10:00:00Z")));
    assertThat(state("deletionTimestamp: '2026-11-01T11:00:00Z'", "nodeName: n1", ACCEPTED))
        .isEqualTo(new MemberState.Leaving(Optional.of(node), due));
    assertThat(state("deletionTimestamp: '2026-11-01T11:00:00Z'", "", ""))
        .isEqualTo(new MemberState.Leaving(Optional.empty(), due));
  }

  /// The kubelet may reject a pod whose node only its creator has chosen.
  @Test
  void pod_that_names_its_node_takes_nothing_until_it_is_accepted() {
    String ours = yaml("", "nodeName: n1", "");
    String deleted = yaml("deletionTimestamp: '2026-11-01T11:00:00Z'", "nodeName: n1", "");

    assertThat(List.of(ours, deleted, ours.replace("default-scheduler", "other")))
        .allSatisfy(pod -> assertThat(CODEC.read(Yaml.pod(pod))).isEqualTo(new PodFact.Nothing()));
  }

  /// kube-scheduler reports a failure if the answer to its binding was lost.
  @Test
  void pod_keeps_the_node_of_a_binding_whose_answer_was_lost() {
    String lost = "conditions: [{type: PodScheduled, status: 'False', reason: SchedulerError}]";

    assertThat(ours(yaml("", "nodeName: n1", lost)).member().node()).contains(new NodeId("n1"));
  }

  /// A kubelet that reports other conditions has accepted it, too.
  @Test
  void pod_that_runs_is_accepted() {
    String runs = yaml("", "nodeName: n1", "").replace("phase: Pending", "phase: Running");

    assertThat(ours(runs).member().node()).contains(new NodeId("n1"));
  }

  @ParameterizedTest
  @CsvSource({"Succeeded, true", "Failed, false"})
  void finished_pod_holds_nothing(String phase, boolean succeeded) {
    Member member = ended("", phase);

    assertThat(member.hasSucceeded()).isEqualTo(succeeded);
    assertThat(member.node()).isEmpty();
  }

  @Test
  void each_restart_of_a_job_set_is_a_run() {
    assertThat(List.of(restart(0, 1), restart(0, 2), restart(1, 1)))
        .containsExactly("s/0", "s/0", "s/1");
  }

  private static String restart(int restart, int job) {
    String labels = "jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/restart-attempt: '%d'";
    String meta = "labels: {" + labels + "}, ownerReferences: [{controller: true, uid: u%d}]";
    return ours(meta.formatted(restart, job), "", "").stint().maker();
  }

  /// The pods of the deleted one are deleted later.
  @Test
  void job_set_that_is_created_again_is_another_run() {
    assertThat(List.of("o1", "o2")).map(uid -> of(uid)).doesNotHaveDuplicates();
  }

  private static String of(String jobSet) {
    String labels = "jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/jobset-uid: " + jobSet;
    return ours("labels: {" + labels + "}", "", "").stint().maker();
  }

  @Test
  void deleted_pod_counts_as_gone_however_it_ends() {
    String deleted = "deletionTimestamp: '2026-11-01T11:00:00Z'";

    assertThat(ended(deleted, "Succeeded").state())
        .isEqualTo(new MemberState.Leaving(Optional.empty()));
    assertThat(ended(deleted, "Failed").state()).isEqualTo(new MemberState.Ended(false));
  }

  @Test
  void evicted_pod_has_the_time_of_its_eviction() {
    String mark =
        "{type: DisruptionTarget, status: '%s', lastTransitionTime: '2026-11-01T10:59:00Z'}";
    assertThat(evictedAt(mark.formatted("True"))).contains(Instant.parse("2026-11-01T10:59:00Z"));
    assertThat(evictedAt(mark.formatted("False"))).isEmpty();
  }

  private static Optional<Instant> evictedAt(String condition) {
    String meta = "deletionTimestamp: '2026-11-01T11:00:00Z'";
    return ours(yaml(meta, "nodeName: n1", ACCEPTED.replace("]", ", " + condition + "]")))
        .member()
        .report()
        .evictedAt();
  }

  /// Its deletion was requested at 10:59:30.
  @ParameterizedTest
  @CsvSource({"2026-11-01T10:59:29Z, false", "2026-11-01T10:59:40Z, true"})
  void pod_that_fails_after_its_deletion_was_requested_was_stopped(String end, boolean stopped) {
    String meta = "deletionTimestamp: '2026-11-01T11:00:00Z', deletionGracePeriodSeconds: 30";
    String container = "{state: {terminated: {exitCode: 143, finishedAt: '%s'}}}".formatted(end);
    String status = "containerStatuses: [" + container + "]";
    String pod = yaml(meta, "nodeName: n1", status).replace("phase: Pending", "phase: Failed");

    assertThat(ours(pod).member().state() instanceof MemberState.Leaving).isEqualTo(stopped);
  }

  @Test
  void longest_grace_period_does_not_hide_the_end() {
    String meta =
        "deletionTimestamp: '2026-11-01T11:00:00Z', deletionGracePeriodSeconds: 9223372036854775807";
    String ran = "containerStatuses: [{state: {terminated: {finishedAt: '2026-11-01T10:30:00Z'}}}]";
    String pod = yaml(meta, "nodeName: n1", ran).replace("phase: Pending", "phase: Failed");

    assertThat(ours(pod).member().state()).isEqualTo(MemberState.Leaving.ended());
  }

  private static Optional<MemberState> endOfUnreadable(String meta, String phase) {
    String ran = "containerStatuses: [{state: {terminated: {finishedAt: yesterday}}}]";
    String pod = yaml(meta, "nodeName: n1", ran).replace("phase: Pending", "phase: " + phase);
    return CODEC.read(Yaml.pod(pod)) instanceof PodFact.Unreadable(_, var end)
        ? end
        : Optional.empty();
  }

  @Test
  void end_of_an_unreadable_pod_is_known_by_its_phase() {
    String deleted = "deletionTimestamp: '2026-11-01T11:00:00Z'";

    assertThat(endOfUnreadable("", "Failed")).contains(new MemberState.Ended(false));
    assertThat(endOfUnreadable("", "Succeeded")).contains(new MemberState.Ended(true));
    assertThat(endOfUnreadable(deleted, "Failed")).contains(MemberState.Leaving.ended());
  }

  private static Member ended(String meta, String phase) {
    return ours(yaml(meta, "nodeName: n1", "").replace("phase: Pending", "phase: " + phase))
        .member();
  }

  @Test
  void pod_without_gpu_that_names_a_gang_is_managed() {
    String launcher =
        yaml("labels: {scheduling.x-k8s.io/pod-group: g}", "", "")
            .replaceAll("nvidia.com/gpu: \"8\"", "memory: 1Gi");

    Member member = ours(launcher).member();
    assertThat(member.request().gpus()).isZero();
  }

  @Test
  void pod_without_uid_is_unreadable_and_does_not_throw() {
    assertThat(CODEC.read(Yaml.pod(yaml("", "", "").replace(", uid: u3", ""))))
        .isInstanceOf(PodFact.Unreadable.class);
  }
}
