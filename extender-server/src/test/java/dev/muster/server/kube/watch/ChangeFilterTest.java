package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.codec.PodGroupCodec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChangeFilterTest extends ChangeFilterScene {
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
    assertThat(told())
        .isEqualTo(
            "!gang:p(The annotation muster.dev/layout is (spread); it must be packed or balanced.){}");

    facts.pod("ml/p", new PodFact.Nothing());
    assertThat(told()).isEqualTo("-u1@p -gang:p !gang:p{}");
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

  @Test
  void unreadable_pod_that_has_ended_holds_no_node() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", "nodeName: n1"));
    assertThat(told()).isEqualTo("+u1@g");

    facts.pod("ml/p", unreadable("u1", Optional.of(new MemberState.Ended(false))));
    facts.pod("ml/p", unreadable("u1", Optional.of(new MemberState.Ended(false))));
    assertThat(mailbox.depth()).isEqualTo(1);
    assertThat(mailbox.next().orElseThrow())
        .isInstanceOfSatisfying(
            Event.MemberSeen.class,
            seen -> assertThat(seen.member().state()).isEqualTo(new MemberState.Ended(false)));
    assertThat(told()).isEmpty();
  }

  @Test
  void unreadable_pod_that_had_ended_before_stays_as_it_was() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", "nodeName: n1\nstatus: {phase: Succeeded}"));
    assertThat(told()).isEqualTo("+u1@g");

    facts.pod("ml/p", unreadable("u1", Optional.of(MemberState.Leaving.ended())));
    assertThat(told()).isEmpty();
  }

  @Test
  void unmanaged_unreadable_pod_that_has_ended_holds_no_node() throws InterruptedException {
    facts.pod(
        "ml/p",
        new PodFact.Unmanaged(
            new MemberId("ml", "p", "u1"),
            new NodeId("n1"),
            dev.muster.core.gang.Resources.NONE,
            8));
    told();

    facts.pod("ml/p", unreadable("u1", Optional.of(new MemberState.Ended(false))));
    assertThat(mailbox.depth()).isEqualTo(1);
    assertThat(mailbox.next().orElseThrow()).isInstanceOf(Event.UnmanagedPodGone.class);
  }

  private static PodFact unreadable(String uid) {
    return unreadable(uid, Optional.empty());
  }

  private static PodFact unreadable(String uid, Optional<MemberState> end) {
    var object = new ObjectRef("v1", "Pod", "ml", "p", uid);
    return new PodFact.Unreadable(
        new ObjectProblem(object, ObjectProblem.INVALID, "It makes no sense."), end);
  }

  @Test
  void pod_that_becomes_unmanaged_leaves_its_gang() throws InterruptedException {
    facts.pod("ml/p", pod("u1", "g", "nodeName: n1"));
    facts.pod(
        "ml/p",
        new PodFact.Unmanaged(
            new MemberId("ml", "p", "u1"),
            new NodeId("n1"),
            dev.muster.core.gang.Resources.NONE,
            0));
    facts.pod("ml/p", new PodFact.Nothing());

    assertThat(told()).isEqualTo("+u1@g -u1@g +stranger:u1@n1 -stranger:u1");
  }

  /// The engine writes the past itself, and would try the gang again for each of its own writes.
  @Test
  void past_that_is_written_to_a_pod_group_is_no_news() throws InterruptedException {
    var group = new PodGroupCodec(PodGroupDialect.SCHEDULER_PLUGINS, _ -> Optional.empty());
    for (String ran : List.of("{}", "{muster.dev/ran-with: '3'}")) {
      var seen =
          group.read(
              Yaml.group(
                  "metadata: {namespace: ml, name: v, uid: g, annotations: %s}\nspec: {minMember: 3}"
                      .formatted(ran)));
      facts.gang(((ReadResult.Good<dev.muster.core.gang.GangSpec>) seen).value());
    }
    assertThat(told()).isEqualTo("+gang:v");
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
}
