package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.codec.PodGroupCodec;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ChangeFilterTest {
  private static final PodCodec CODEC =
      new PodCodec(
          List.of("nvidia.com/gpu"),
          Set.of("default-scheduler"),
          _ -> new ReadResult.Good<>(Resources.NONE));

  private final Mailbox mailbox = new Mailbox(100);
  private final ChangeFilter facts =
      new ChangeFilter(mailbox::put, InstantSource.fixed(Instant.EPOCH));

  private static PodFact pod(String uid, String group, String more) {
    Pod pod =
        Yaml.pod(
            """
            metadata: {namespace: ml, name: p, uid: %s, labels: {scheduling.x-k8s.io/pod-group: '%s'}}
            spec:
              schedulerName: default-scheduler
              containers: [{name: c, resources: {requests: {nvidia.com/gpu: "1"}}}]
              %s
            """
                .formatted(uid, group, more));
    return CODEC.read(pod);
  }

  private static PodFact volcano(String name, String created, String node) {
    Pod pod =
        Yaml.pod(
            """
            metadata:
              namespace: ml
              name: %s
              uid: u-%s
              creationTimestamp: "%s"
              annotations: {scheduling.k8s.io/group-name: v, scheduling.volcano.sh/group-min-member: "2"}
            spec: {schedulerName: default-scheduler, containers: [{name: c}]}
            status: {nominatedNodeName: "%s"}
            """
                .formatted(name, name, created, node));
    return CODEC.read(pod);
  }

  /// What was put since the last call, as words.
  private String told() throws InterruptedException {
    List<Event> events = new ArrayList<>();
    while (mailbox.depth() > 0) {
      events.add(mailbox.next().orElseThrow());
    }
    return events.stream().map(ChangeFilterTest::word).collect(Collectors.joining(" "));
  }

  private static String word(Event event) {
    return switch (event) {
      case Event.GangSeen(_, var spec) -> "+gang:" + spec.id().name();
      case Event.GangGone(_, var gang) -> "-gang:" + gang.name();
      case Event.MemberSeen(_, var member) -> "+" + member.id().uid() + "@" + member.gang().name();
      case Event.MemberGone(_, var gang, var member) -> "-" + member.uid() + "@" + gang.name();
      case Event.GangChanged(_, _, var facts) ->
          facts.stream().map(ChangeFilterTest::word).collect(Collectors.joining(" "));
      case Event.StrangerSeen(_, var pod, var node, _, _) -> "+stranger:" + pod.uid() + "@" + node;
      case Event.StrangerGone(_, var pod) -> "-stranger:" + pod.uid();
      case Event.NodeSeen(_, var node) -> "+node:" + node.id();
      case Event.NodeGone(_, var node) -> "-node:" + node;
      case Event.Synced _, Event.Tick _, Event.PolicyChanged _, Event.Outcome _ ->
          event.getClass().getSimpleName();
    };
  }

  @Test
  void lone_pod_creates_and_removes_its_gang() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "", ""));
    assertThat(told()).isEqualTo("+gang:p +u1@p");

    facts.pod("ml/p", new PodFact.Nothing());
    assertThat(told()).isEqualTo("-u1@p -gang:p");
  }

  @Test
  void facts_of_a_pod_about_its_gang_and_itself_are_one_event() {
    facts.pod("ml/p", pod("u1", "", ""));
    assertThat(mailbox.depth()).isEqualTo(1);

    facts.pod("ml/p", pod("u2", "", "")); // made anew, under the same name
    assertThat(mailbox.depth()).isEqualTo(2);
  }

  @Test
  void pod_that_is_no_longer_managed_leaves_despite_its_gate() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "", ""));
    told();

    facts.pod("ml/p", new PodFact.Stray(new MemberId("ml", "p", "u1")));
    assertThat(told()).isEqualTo("-u1@p -gang:p");

    facts.pod("ml/p", pod("u1", "", ""));
    assertThat(told()).isEqualTo("+gang:p +u1@p");
  }

  @Test
  void equal_facts_produce_one_event() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", ""));
    facts.pod("ml/p", pod("u1", "g", ""));
    facts.pod("ml/q", new PodFact.Nothing());
    assertThat(told()).isEqualTo("+u1@g");

    facts.pod("ml/p", pod("u1", "g", "nodeName: n1"));
    assertThat(told()).isEqualTo("+u1@g");
  }

  @Test
  void recreated_pod_of_the_same_name_is_another_pod() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", ""));
    facts.pod("ml/p", pod("u2", "g", ""));

    assertThat(told()).isEqualTo("+u1@g -u1@g +u2@g");
  }

  @Test
  void pod_that_changes_its_gang_leaves_the_old_one_first() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", ""));
    facts.pod("ml/p", pod("u1", "", ""));
    assertThat(told()).isEqualTo("+u1@g -u1@g +gang:p +u1@p");

    facts.pod("ml/p", pod("u1", "h", ""));
    assertThat(told()).isEqualTo("-u1@p -gang:p +u1@h");
  }

  @Test
  void nominated_lone_pod_updates_its_gang_and_itself() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "", ""));
    assertThat(told()).isEqualTo("+gang:p +u1@p");

    facts.pod("ml/p", pod("u1", "", "\nstatus: {nominatedNodeName: n1}"));
    assertThat(told()).isEqualTo("+gang:p +u1@p");
  }

  @Test
  void unreadable_pod_keeps_its_last_known_state() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", "nodeName: n1"));
    facts.pod("ml/p", pod("''", "g", "nodeName: n1"));

    assertThat(told()).isEqualTo("+u1@g");
  }

  @Test
  void lone_pod_with_a_new_invalid_constraint_keeps_the_old_ones() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "", ""));
    assertThat(told()).isEqualTo("+gang:p +u1@p");

    facts.pod("ml/p", wishingWrongly());
    facts.pod("ml/p", wishingWrongly());
    assertThat(told()).isEqualTo("");

    facts.pod("ml/p", new PodFact.Nothing());
    assertThat(told()).isEqualTo("-u1@p -gang:p");
  }

  private static PodFact wishingWrongly() {
    return CODEC.read(
        Yaml.pod(
            """
            metadata: {namespace: ml, name: p, uid: u1, annotations: {muster.dev/layout: spread}}
            spec:
              schedulerName: default-scheduler
              containers: [{name: c, resources: {requests: {nvidia.com/gpu: "1"}}}]
            """));
  }

  @Test
  void unreadable_pod_replaces_an_older_one_of_its_name() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", "nodeName: n1"));
    facts.pod("ml/p", unreadable("u2"));
    facts.pod("ml/p", unreadable("u2"));

    assertThat(told()).isEqualTo("+u1@g -u1@g");
  }

  private static PodFact unreadable(String uid) {
    var object = new ObjectRef("v1", "Pod", "ml", "p", uid);
    return new PodFact.Unreadable(
        new ObjectProblem(object, ObjectProblem.INVALID, "It makes no sense."));
  }

  @Test
  void pod_that_becomes_unmanaged_leaves_its_gang() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", "nodeName: n1"));
    facts.pod(
        "ml/p",
        new PodFact.Stranger(
            new MemberId("ml", "p", "u1"),
            new NodeId("n1"),
            dev.muster.core.gang.Resources.NONE,
            0));
    facts.pod("ml/p", new PodFact.Nothing());

    assertThat(told()).isEqualTo("+u1@g -u1@g +stranger:u1@n1 -stranger:u1");
  }

  @Test
  void pods_define_their_gang_until_a_pod_group_exists() throws InterruptedException {
    facts.pod("ml/b", volcano("b", "2026-11-01T10:00:05Z", "n2"));
    facts.pod("ml/a", volcano("a", "2026-11-01T10:00:00Z", "n1"));

    mailbox.next(); // of the first pod
    var both = (Event.GangChanged) mailbox.next().orElseThrow();
    var seen = (Event.GangSeen) both.facts().getFirst();
    assertThat(seen.spec().minCount()).isEqualTo(2);
    assertThat(seen.spec().createdAt()).isEqualTo(Instant.parse("2026-11-01T10:00:00Z"));
    assertThat(seen.spec().recorded().size()).isEqualTo(2);
    assertThat(word(both)).isEqualTo("+gang:v +u-a@v");

    var group =
        new PodGroupCodec(PodGroupDialect.VOLCANO, _ -> Optional.empty())
            .read(Yaml.group("metadata: {namespace: ml, name: v, uid: g}\nspec: {minMember: 3}"));
    facts.gang(((ReadResult.Good<dev.muster.core.gang.GangSpec>) group).value());
    facts.pod("ml/a", new PodFact.Nothing());
    assertThat(told()).isEqualTo("+gang:v -u-a@v");

    facts.noGang(seen.spec().id());
    assertThat(told()).as("the other pod speaks again").isEqualTo("+gang:v");

    facts.pod("ml/b", new PodFact.Nothing());
    assertThat(told()).isEqualTo("-u-b@v -gang:v");
  }

  @Test
  void first_pod_in_rank_order_defines_the_gang() throws InterruptedException {
    facts.pod("ml/a", saying("a", "worker", "rack"));
    facts.pod("ml/b", saying("b", "launcher", "block"));

    mailbox.next(); // of the first pod
    var both = (Event.GangChanged) mailbox.next().orElseThrow();
    var seen = (Event.GangSeen) both.facts().getFirst();
    assertThat(seen.spec().wishes().topology().required()).contains("block");
  }

  private static PodFact saying(String name, String role, String level) {
    return CODEC.read(
        Yaml.pod(
            """
            metadata:
              namespace: ml
              name: %s
              uid: u-%s
              labels: {training.kubeflow.org/replica-type: %s}
              annotations: {scheduling.k8s.io/group-name: v, scheduling.volcano.sh/group-min-member: "2", muster.dev/topology-required: %s}
            spec: {schedulerName: default-scheduler, containers: [{name: c}]}
            """
                .formatted(name, name, role, level)));
  }

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
