package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Places of lost members are charged, are there for a bounded time, and are few.
class HoleLimitsTest extends BackfillScenes {
  private static final Queues QUEUES =
      Queues.of(List.of(Queue.of("q").most(Quota.of(8)), Queue.of("ml")));
  private static final Policies LIMITED =
      Policies.of(QUEUES, Duration.ofMinutes(2), Optional.empty());

  private final GangDraft a = gang("a").of(2, 4).on(H100).queue("q");

  /// A gang of two members of 4 runs in a queue that may use 8 GPUs.
  private Scene running() {
    return Scene.of("b/r: n1[....] n2[....] n3[....] n4[....] n5:A100[....]", LIMITED).arrives(a);
  }

  /// It has lost a member.
  private Scene broken() {
    Scene scene = running();
    fails(scene, a, 1);
    return scene;
  }

  private static void isReplaced(Scene scene, GangDraft gang, int rank, String suffix) {
    scene.becomes(gang.member(rank, suffix), new MemberState.Held(false));
  }

  private static void isDeleted(Scene scene, GangDraft gang, int rank, String suffix) {
    scene.then(new Event.MemberGone(scene.now(), gang.id(), gang.member(rank, suffix).id()));
  }

  // ---- Charges ----

  @Test
  void hole_counts_for_the_maximum_of_its_queue() {
    Scene scene = broken().arrives(gang("b").of(1, 4).queue("q"));
    assertThat(scene.whyNot("b")).contains(new Veto.OverQuota("q", "", 4, 8, 8));
  }

  /// A job controller replaced it before its end was reported.
  @Test
  void lost_member_has_one_place_however_many_facts_tell_of_it() {
    Scene scene = running();
    Member lost = scene.gang("a").members().get(a.member(1, "").id()).orElseThrow();
    scene.then(
        new Event.GangChanged(
            scene.now(),
            a.id(),
            List.of(
                new Event.MemberSeen(scene.now(), lost.as(new MemberState.Ended(false))),
                new Event.MemberGone(scene.now(), a.id(), lost.id()))));

    assertThat(scene.cluster().holds().get(a.id()).orElseThrow().shares().values())
        .singleElement()
        .extracting(share -> share.needs().gpus())
        .isEqualTo(4);
  }

  @Test
  void replacement_may_use_its_own_hole() {
    Scene scene = broken();
    isReplaced(scene, a, 1, "-again");
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  /// It could start on another node at once.
  @Test
  void gang_of_a_full_queue_starts_once_the_hole_ends() {
    Scene scene = broken().arrives(gang("b").of(1, 4).on(A100).queue("q"));
    assertThat(scene.after(Policies.REPAIR.plusSeconds(2)).nodesOf("b")).containsExactly("n5");
  }

  /// The hole counted for the limit of the model of its node.
  @Test
  void gang_of_a_full_queue_starts_once_the_node_of_the_hole_is_gone() {
    Queues queues = Queues.of(List.of(Queue.of("q").most(Quota.NONE.with("H100", 8))));
    Scene scene =
        Scene.of(
                "b/r: n1:H100[....] n2:H100[....] n3:H100[....]",
                Policies.of(queues, Duration.ofMinutes(2), Optional.empty()))
            .arrives(a);
    fails(scene, a, 1);
    scene.arrives(gang("b").of(1, 4).queue("q"));
    assertThat(scene.nodesOf("b")).isEmpty();
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2")));
    assertThat(scene.nodesOf("b")).containsExactly("n3");
  }

  /// Its pod terminates for a while.
  @Test
  void lost_member_and_its_hole_count_once() {
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....]", LIMITED).arrives(a);
    long whole = share(scene);
    Member lost = scene.gang("a").members().get(a.member(1, "").id()).orElseThrow();
    scene.becomes(lost, new MemberState.Leaving(lost.node(), Optional.empty()));
    long leaving = share(scene);
    isDeleted(scene, a, 1, "");
    assertThat(List.of(leaving, share(scene))).containsOnly(whole);
  }

  /// A member leaves its node, which is ready or not at that time, and changes after it.
  private Scene leaving(boolean... ready) {
    Scene scene = running();
    isReady(scene, "n2", ready[0]);
    Member lost = scene.gang("a").members().get(a.member(1, "").id()).orElseThrow();
    scene.becomes(lost, new MemberState.Leaving(lost.node(), Optional.empty()));
    for (boolean changed : ready) {
      isReady(scene, "n2", changed);
    }
    return scene;
  }

  /// The pod is charged only while the node is ready.
  private List<Scene> leavingOnAFailingNode() {
    return List.of(leaving(true), leaving(true, false), leaving(false), leaving(false, true));
  }

  private static void isReady(Scene scene, String name, boolean ready) {
    List<String> faults = ready ? List.of() : List.of(Node.NOT_READY);
    scene.then(new Event.NodeSeen(scene.now(), scene.state(name).node().withFaults(faults)));
  }

  @Test
  void share_of_a_queue_is_the_same_whether_the_node_of_a_hole_is_ready() {
    assertThat(leavingOnAFailingNode()).extracting(HoleLimitsTest::share).containsOnly(8_000L);
  }

  @Test
  void hole_counts_for_the_maximum_whether_its_node_is_ready() {
    assertThat(leavingOnAFailingNode())
        .extracting(scene -> scene.arrives(gang("b").of(1, 4).queue("q")).whyNot("b"))
        .containsOnly(Optional.of(new Veto.OverQuota("q", "", 4, 8, 8)));
  }

  @Test
  void node_that_fails_frees_nothing_of_the_queue_of_its_hole() {
    Scene scene = leaving(true).arrives(gang("b").of(1, 4).queue("q"));
    isReady(scene, "n2", false);
    assertThat(scene.nodesOf("b")).isEmpty();
  }

  /// The waiting gang of the queue may have no GPU more, so it claims none of those on n3.
  @Test
  void guarantee_of_a_model_is_not_claimed_beside_a_hole_of_that_model() {
    Quota eight = Quota.NONE.with("H100", 8);
    Queues queues = Queues.of(List.of(Queue.of("q").guaranteed(eight).most(eight), Queue.of("ml")));
    Scene scene =
        Scene.of(
                "b/r: n1:H100[....] n2:H100[....] n3:H100[....]",
                Policies.of(queues, Duration.ofMinutes(2), Optional.empty()))
            .arrives(a);
    fails(scene, a, 1);
    isReady(scene, "n2", false);
    scene.arrives(gang("own").of(1, 4).queue("q")).arrives(gang("other").of(1, 4));
    assertThat(scene.nodesOf("other")).containsExactly("n3");
  }

  private static long share(Scene scene) {
    return new FairShare(QUEUES).share(scene.cluster(), "q");
  }

  @Test
  void hole_counts_in_the_share_of_its_queue_like_the_lost_member() {
    Scene other = running();
    Scene scene = broken();
    assertThat(share(scene)).isEqualTo(share(other));
    Duration run = Policies.REPAIR.minusSeconds(2);
    assertThat(share(scene.after(run))).isEqualTo(share(other.after(run)));
  }

  @Test
  void hole_that_ended_counts_by_the_time_for_which_it_was_there() {
    Scene scene = broken().after(Policies.REPAIR.plusSeconds(2));
    assertThat(share(scene)).isBetween(4_000L + 8_000 / 6, 4_000L + 8_000 / 6 + 10);
  }

  @Test
  void hole_is_charged_no_more_once_its_gang_has_ended() {
    Scene scene = broken();
    long before = share(scene);
    isDeleted(scene, a, 0, "");
    scene.after(Duration.ofSeconds(11));
    assertThat(share(scene)).isLessThan(before / 10);
  }

  // ---- Time ----

  /// The hole of the lost member is there for nearly all of its time, and is then filled.
  private Scene repairedLate() {
    Scene scene = broken().after(Policies.REPAIR.minusSeconds(30));
    isReplaced(scene, a, 1, "-2");
    assertThat(scene.nodesOf("a")).hasSize(2);
    return scene.arrives(gang("stranger").of(3, 4));
  }

  @Test
  void hole_is_not_renewed_by_a_member_that_leaves_again() {
    Scene scene = repairedLate();
    isDeleted(scene, a, 1, "-2");
    scene.after(Duration.ofSeconds(20));
    assertThat(scene.nodesOf("stranger")).isEmpty();
    assertThat(scene.after(Duration.ofSeconds(20)).nodesOf("stranger")).hasSize(3);
  }

  @Test
  void gang_that_was_whole_for_as_long_has_a_hole_for_the_full_time() {
    Scene scene = repairedLate().after(Policies.REPAIR);
    isDeleted(scene, a, 1, "-2");
    scene.after(Policies.REPAIR.minusSeconds(5));
    assertThat(scene.nodesOf("stranger")).isEmpty();
    assertThat(scene.after(Duration.ofSeconds(10)).nodesOf("stranger")).hasSize(3);
  }

  /// Each time its member is replaced within seconds.
  @Test
  void gang_that_is_repaired_quickly_keeps_nearly_all_of_its_time() {
    Scene scene = broken();
    for (int i = 2; i < 6; i++) {
      scene.after(Duration.ofSeconds(5));
      isReplaced(scene, a, 1, "-" + i);
      scene.after(Duration.ofSeconds(1));
      isDeleted(scene, a, 1, "-" + i);
    }
    scene.arrives(gang("stranger").of(3, 4));
    assertThat(scene.after(Policies.REPAIR.minusSeconds(25)).nodesOf("stranger")).isEmpty();
  }

  @Test
  void time_that_a_gang_used_is_forgotten_once_it_has_it_back() {
    Scene scene = repairedLate();
    assertThat(scene.state().repaired().keys()).containsExactly(a.id());
    assertThat(scene.after(Policies.REPAIR).state().repaired().keys()).isEmpty();
  }

  // ---- Number ----

  /// Each event would look at all of them.
  @Test
  void hole_does_not_list_pods_that_are_gone() {
    GangDraft three = gang("a").of(3, 2).queue("q");
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(three);
    Member first = scene.gang("a").members().get(three.member(0, "").id()).orElseThrow();
    scene.becomes(first, new MemberState.Leaving(first.node(), Optional.empty()));
    assertThat(leavers(scene)).containsExactly(first.id());
    isDeleted(scene, three, 0, "");
    isDeleted(scene, three, 1, "");
    assertThat(leavers(scene)).isEmpty();
  }

  private static List<MemberId> leavers(Scene scene) {
    return scene.cluster().holds().get(gang("a").id()).orElseThrow().shares().values().stream()
        .flatMap(share -> share.leavers().asList().stream())
        .toList();
  }

  /// So many gangs of two members with one GPU each, of which each loses one.
  private static State losing(State before, String namespace, int gangs) {
    Engine engine = new Engine(Policies.DEFAULT);
    State state = before;
    for (int i = 0; i < gangs; i++) {
      GangDraft draft = gang(namespace, "g" + i).of(2, 1);
      MemberState bound = new MemberState.Bound(new NodeId("n" + i % 70), Scene.START);
      state = engine.step(state, new Event.GangSeen(Scene.START, draft.spec())).after();
      for (Member member : draft.members()) {
        state = engine.step(state, new Event.MemberSeen(Scene.START, member.as(bound))).after();
      }
      MemberId lost = draft.member(1, "").id();
      state = engine.step(state, new Event.MemberGone(Scene.START, draft.id(), lost)).after();
    }
    return state;
  }

  @Test
  void namespace_has_a_bounded_number_of_holes() {
    StringBuilder nodes = new StringBuilder("b/r:");
    for (int i = 0; i < 70; i++) {
      nodes.append(" n%d[........]".formatted(i));
    }
    State state = losing(Scene.of(nodes.toString()).state(), "one", 260);
    assertThat(losing(state, "two", 1).cluster().holds().keys())
        .extracting(GangId::namespace)
        .hasSize(257)
        .contains("two");
  }
}
