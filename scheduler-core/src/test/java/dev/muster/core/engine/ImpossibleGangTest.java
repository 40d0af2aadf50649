package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// A gang that would find no place alone on the cluster is told so, and keeps nobody waiting.
class ImpossibleGangTest {
  private static final String THREE_NODES = "b/r: n1[....] n2[....] n3[....]";

  private static final Policies GUARANTEED =
      Policies.of(
          Queues.of(List.of(Queue.of("a").guaranteed(Quota.of(12)), Queue.of("b"))),
          Duration.ofMinutes(2),
          Optional.empty());

  private static void assertImpossible(String drawing, GangDraft gang) {
    Veto why = Scene.of(drawing).arrives(gang).whyNot("a").orElseThrow();
    assertThat(why.remedy()).isEqualTo(Remedy.NEVER);
    assertThat(ReasonText.token(why)).isEqualTo("ImpossibleRequest");
  }

  @Test
  void node_leaves_a_remainder_that_no_member_can_use() {
    assertImpossible(THREE_NODES, gang("a").of(4, 3));
  }

  @Test
  void busy_nodes_do_not_hide_that_the_empty_ones_are_too_few() {
    assertImpossible("b/r: n1[####] n2[##..] n3[....]", gang("a").of(4, 3));
  }

  @Test
  void slice_finds_no_rack() {
    assertImpossible("b/r1: n1[....]\nb/r2: n2[....]", gang("a").of(2, 4).sliced(2, "rack"));
  }

  @Test
  void members_on_nodes_of_their_own_outnumber_the_nodes() {
    assertImpossible("b/r: n1[....]", gang("a").onePerNode().of(2, 1));
  }

  @Test
  void cores_of_the_nodes_leave_a_remainder() {
    assertImpossible("b/r: n1[....] n2[....]", gang("a").cores(60).of(3, 1));
  }

  @Test
  void members_of_unlike_sizes_do_not_fit_together() {
    assertImpossible("b/r: n1[....] n2[....]", gang("a").of(2, 3).of(1, 2));
  }

  @Test
  void no_single_model_has_the_places() {
    assertImpossible("b/r: n1[....] n2[....] n3:P4[....] n4:P4[....]", gang("a").of(3, 3));
  }

  @Test
  void no_rack_has_the_places() {
    assertImpossible(
        "b/r1: n1[....] n2[....]\nb/r2: n3[....] n4[....]", gang("a").of(3, 2).within("node"));
    assertImpossible(
        "b/r1: n1[....] n2[....]\nb/r2: n3[....] n4[....]", gang("a").of(3, 3).within("rack"));
  }

  @Test
  void gang_that_would_fit_on_empty_nodes_waits_for_others() {
    Scene scene = Scene.of("b/r: n1[#...] n2[####] n3[....]").arrives(gang("a").of(3, 3));
    assertThat(scene.whyNot("a").map(Veto::remedy)).contains(Remedy.EVICTION);
  }

  @Test
  void elastic_gang_is_judged_by_its_minimum() {
    Scene scene = Scene.of(THREE_NODES).arrives(gang("a").of(4, 3).minCount(3));
    assertThat(scene.nodesOf("a")).hasSize(3);
    assertThat(scene.whyNot("a").map(Veto::remedy)).contains(Remedy.EVICTION);
  }

  @Test
  void impossible_gang_claims_nothing_of_the_guarantee() {
    Scene scene = Scene.of(THREE_NODES, GUARANTEED).arrives(gang("a").of(4, 3).queue("a"));
    assertThat(scene.arrives(gang("b").of(1, 4).queue("b")).nodesOf("b")).hasSize(1);
  }

  /// Its queue is full, so it is not even placed; still it claims what remains of the guarantee.
  @Test
  void impossible_gang_that_waits_for_quota_claims_nothing() {
    Queue a = Queue.of("a").guaranteed(Quota.of(12)).most(Quota.of(12));
    Policies policies =
        Policies.of(Queues.of(List.of(a, Queue.of("b"))), Duration.ofMinutes(2), Optional.empty());
    Scene scene = Scene.of(THREE_NODES, policies).arrives(gang("runs").of(1, 4).queue("a"));
    scene.arrives(gang("a").of(4, 3).queue("a"));
    assertThat(scene.whyNot("a").map(ReasonText::token)).contains("ImpossibleRequest");
    assertThat(scene.arrives(gang("b").of(2, 4).queue("b")).nodesOf("b")).hasSize(2);
  }

  @Test
  void gang_for_which_the_queue_denies_the_model_waits_for_quota() {
    Queue a = Queue.of("a").most(Quota.NONE.with("H100", 4));
    Policies policies = Policies.of(Queues.of(List.of(a)), Duration.ofMinutes(2), Optional.empty());
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3:P4[....]", policies);
    scene.arrives(
        gang("runs").of(1, 4).queue("a").on(new GpuModelPreference(List.of("H100"), false)));
    scene.arrives(gang("a").of(2, 3).queue("a"));
    assertThat(scene.whyNot("a").map(Veto::remedy)).isNotEqualTo(Optional.of(Remedy.EVICTION));
    assertThat(scene.whyNot("a").map(ReasonText::token))
        .hasValueSatisfying(token -> assertThat(token).isIn("QuotaExhausted", "TooBigForQueue"));
  }

  @Test
  void new_node_lets_it_start() {
    Scene scene = Scene.of(THREE_NODES).arrives(gang("a").of(4, 3));
    scene.then(new Event.NodeSeen(scene.now(), Scene.node("n4", Map.of(), 4, "H100", false)));
    assertThat(scene.nodesOf("a")).hasSize(4);
  }

  @Test
  void full_new_node_gives_it_hope() {
    Scene scene = Scene.of(THREE_NODES).arrives(gang("a").of(4, 3));
    scene.then(
        new Event.UnmanagedPodSeen(
            scene.now(),
            Scene.unmanagedPod("n4"),
            new NodeId("n4"),
            Resources.of("nvidia.com/gpu", 4),
            4));
    scene.then(new Event.NodeSeen(scene.now(), Scene.node("n4", Map.of(), 4, "H100", false)));
    scene.after(Duration.ofSeconds(2));
    assertThat(scene.whyNot("a").map(Veto::remedy)).contains(Remedy.EVICTION);
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n4")));
    assertThat(scene.nodesOf("a")).hasSize(4);
  }

  @Test
  void cordoned_node_takes_its_hope() {
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[####]").arrives(gang("a").of(3, 3));
    assertThat(scene.whyNot("a").map(Veto::remedy)).contains(Remedy.EVICTION);
    Map<String, String> labels = Map.of("block", "b", "rack", "r");
    scene.then(new Event.NodeSeen(scene.now(), Scene.node("n2", labels, 4, "H100", true)));
    scene.after(Duration.ofSeconds(2));
    assertThat(scene.whyNot("a").map(Veto::remedy)).contains(Remedy.NEVER);
  }

  /// The gang is placed again and again as pods come and go, but judged once for these nodes.
  @Test
  void pods_that_come_and_go_leave_the_answer_valid() {
    Scene scene = Scene.of("b/r: n1[...#] n2[####] n3[...#]").arrives(gang("a").of(3, 3));
    var before = scene.state().forecasts().vacancy();
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n1")));
    scene.arrives(gang("later").of(3, 3).createdAt(Scene.START.plusSeconds(1)));
    var after = scene.state().forecasts().vacancy();
    assertThat(after.image().orElseThrow()).isSameAs(before.image().orElseThrow());
    assertThat(after.answers().size()).isEqualTo(1);
  }

  /// A gang of two, each on a node of its own, was evicted. Its old pods leave, its new ones wait.
  private static Scene evicted() {
    GangDraft gang = gang("g").onePerNode().of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang);
    for (Member old : scene.gang("g").bound()) {
      scene.becomes(old, new MemberState.Leaving(old.node()));
    }
    for (int rank = 0; rank < 2; rank++) {
      scene.becomes(gang.member(rank, "-again"), new MemberState.Held(false));
    }
    return scene;
  }

  @Test
  void own_leaving_pods_take_no_hope_for_later() {
    Scene scene = evicted().arrives(gang("h").of(1, 4).priority(10));
    for (int rank = 0; rank < 2; rank++) {
      Member old = gang("g").onePerNode().of(2, 4).member(rank, "");
      scene.then(new Event.MemberGone(scene.now(), old.gang(), old.id()));
    }
    assertThat(scene.nodesOf("h")).as("h is first").hasSize(1);
    assertThat(scene.ends("h").nodesOf("g")).containsExactly("n1", "n2");
  }

  @Test
  void gang_waits_for_its_own_leaving_pods() {
    Veto why = evicted().whyNot("g").orElseThrow();
    assertThat(ReasonText.token(why)).isEqualTo("WaitingForCapacity");
    assertThat(ReasonText.sentence(why)).contains("On 2 of 2 nodes");
  }

  @Test
  void replacement_waits_for_the_pod_that_it_replaces() {
    GangDraft gang = gang("g").onePerNode().of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang);
    scene.becomes(gang.member(1, ""), new MemberState.Leaving(Optional.of(new NodeId("n2"))));
    scene.becomes(gang.member(1, "-again"), new MemberState.Held(false));
    assertThat(ReasonText.sentence(scene.whyNot("g").orElseThrow())).contains("On 1 of 2 nodes");
  }

  /// Earlier pods of the gang run, terminate or are gone, and new ones come. A reason for ever must
  /// still hold when those that terminate are gone.
  @Property(tries = 200)
  void no_reason_for_ever_ends_with_pods_that_leave(
      @ForAll @IntRange(min = 1, max = 3) int members,
      @ForAll @IntRange(min = 1, max = 4) int gpus,
      @ForAll long seed) {
    Random random = new Random(seed);
    GangDraft gang = gang("g").onePerNode().of(members, gpus);
    Scene scene = Scene.of(THREE_NODES).arrives(gang);
    List<Member> leaving = new ArrayList<>();
    for (Member old : scene.gang("g").bound()) {
      if (random.nextBoolean()) {
        leaving.add(old);
        scene.becomes(old, new MemberState.Leaving(old.node()));
      }
    }
    int gone = random.nextInt(3);
    for (int node = 1; node <= gone; node++) {
      scene.then(new Event.NodeSeen(scene.now(), cordoned("n" + node)));
    }
    for (Member old : leaving) {
      int rank = (int) old.rank();
      scene.becomes(gang.member(rank, "-again"), new MemberState.Held(false));
    }
    boolean never = isNever(scene);
    for (Member old : leaving) {
      scene.then(new Event.MemberGone(scene.now(), old.gang(), old.id()));
    }
    assertThat(never && !isNever(scene)).isFalse();
  }

  private static boolean isNever(Scene scene) {
    return scene.whyNot("g").map(Veto::remedy).equals(Optional.of(Remedy.NEVER));
  }

  private static Node cordoned(String name) {
    return Scene.node(name, Map.of("block", "b", "rack", "r"), 4, "H100", true);
  }

  @Test
  void leaving_pods_of_a_gang_take_no_hope_from_its_like() {
    Scene scene = evicted().arrives(gang("like").onePerNode().of(2, 4));
    assertThat(scene.whyNot("like").map(Veto::remedy)).contains(Remedy.EVICTION);
  }

  /// Without its finished member the gang would have one slice of three, for which no rack is wide
  /// enough.
  @Test
  void finished_member_gives_hope_to_a_gang_of_slices() {
    GangDraft four = gang("a").of(4, 4).sliced(3, "rack");
    Scene scene =
        Scene.of("b/r1: n1[####] n2[....]\nb/r2: n3[....] n4[####]")
            .arrives(gang("b").of(3, 4).sliced(3, "rack"));
    assertThat(scene.whyNot("b").map(Veto::remedy)).contains(Remedy.NEVER);
    scene.then(new Event.GangSeen(scene.now(), four.spec()));
    scene.becomes(four.member(0, ""), new MemberState.Ended(true));
    for (int rank = 1; rank < 4; rank++) {
      scene.becomes(four.member(rank, ""), new MemberState.Held(false));
    }
    assertThat(scene.whyNot("a").map(Veto::remedy)).contains(Remedy.EVICTION);
  }
}
