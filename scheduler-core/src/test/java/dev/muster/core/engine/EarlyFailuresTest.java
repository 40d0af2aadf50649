package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberReport;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.NodeAvoidance;
import dev.muster.core.state.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A gang avoids nodes on which its members failed early.
class EarlyFailuresTest {
  private static final String A_AND_B = "b/r: a[....] b[....]";
  private final GangDraft gang = gang("g").of(1, 4);
  private final Member pod = gang.member(0, "");

  @Test
  void third_node_is_tried_after_two_early_deaths_on_each_of_two() {
    GangDraft pair = gang("pair").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....]").arrives(pair);
    List<String> tried = new ArrayList<>();
    for (int times = 0; times < 4; times++) {
      Member dying = scene.gang("pair").bound().getLast();
      tried.add(dying.node().orElseThrow().name());
      dies(scene, dying, false);
      scene.then(new Event.MemberSeen(scene.now(), pair.member(1, "again" + times)));
    }
    assertThat(tried).containsExactly("n2", "n2", "n3", "n3");
  }

  @Test
  void gang_that_dies_on_two_nodes_tries_the_third() {
    GangDraft pair = gang("pair").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....]").arrives(pair);
    for (int times = 0; times < 2; times++) {
      diesWhole(scene, pair, times);
    }
    assertThat(scene.nodesOf("pair")).contains("n3");
  }

  @Test
  void gang_that_dies_on_all_nodes_waits_and_tries_again() {
    GangDraft pair = gang("pair").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....]").arrives(pair);
    for (int times = 0; times < 4; times++) {
      diesWhole(scene, pair, times);
    }
    assertThat(scene.whyNot("pair").orElseThrow()).isInstanceOf(Veto.PlacesAvoided.class);
    scene.after(Duration.ofSeconds(60));
    assertThat(scene.nodesOf("pair")).hasSize(2);
  }

  private static void diesWhole(Scene scene, GangDraft pair, int times) {
    scene.after(Duration.ofSeconds(3));
    for (Member member : scene.gang("pair").bound()) {
      scene.becomes(member, died(member, false));
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    for (int rank = 0; rank < 2; rank++) {
      scene.then(new Event.MemberSeen(scene.now(), pair.member(rank, "again" + times)));
    }
  }

  @Test
  void lone_pods_of_one_workload_share_their_failures() {
    Scene scene = Scene.of(A_AND_B);
    for (int times = 0; times < 2; times++) {
      Member lone = lone(scene, "job-" + times);
      dies(scene, bound(scene, lone), false);
      scene.then(new Event.GangGone(scene.now(), lone.gang()));
    }
    assertThat(bound(scene, lone(scene, "job-2")).node()).contains(new NodeId("b"));
  }

  private static Member bound(Scene scene, Member lone) {
    return scene.cluster().gang(lone.gang()).members().get(lone.id()).orElseThrow();
  }

  /// The first in line for the node is of the workload that failed there, the next is not.
  @Test
  void node_that_one_workload_avoids_goes_to_the_next_in_line() {
    Scene scene = Scene.of("b/r: a[....]");
    Member failing = lone(scene, "job-0");
    lone(scene, "job-1");
    Member other = lone(scene, "other-0", "ml/other");
    dies(scene, bound(scene, failing), true);
    assertThat(bound(scene, other).node()).contains(new NodeId("a"));
  }

  @Test
  void waiting_pods_of_the_workload_say_at_once_that_they_avoid_the_node() {
    Scene scene = Scene.of("b/r: a[....] b[####]");
    Member failing = lone(scene, "job-0");
    lone(scene, "job-1");
    Member waiting = lone(scene, "job-2");
    dies(scene, bound(scene, failing), true);
    assertThat(scene.state().why(waiting.gang()).flatMap(Explanation::main))
        .containsInstanceOf(Veto.PlacesAvoided.class);
  }

  @Test
  void waiting_pods_of_one_workload_share_an_answer() {
    Scene scene = failing(20).after(Duration.ofSeconds(2));
    assertThat(scene.state().waiting().classes().size()).isEqualTo(1);
  }

  @Test
  void step_answers_a_bounded_number_of_waiting_pods() {
    Scene scene = failing(600);
    assertThat(avoiding(scene)).isEqualTo(256);
    assertThat(avoiding(scene.after(Duration.ofSeconds(1)))).isEqualTo(512);
    assertThat(avoiding(scene.after(Duration.ofSeconds(1)))).isEqualTo(600);
  }

  /// The limit of moved gangs concerns the class that they leave, and no class behind it.
  @Test
  void class_whose_gangs_start_is_tried_on_after_many_others_have_moved() {
    Scene scene = Scene.of("b/r: a[....] b[####]");
    Member failing = lone(scene, "job-0");
    for (int i = 1; i <= 300; i++) {
      lone(scene, "job-" + i);
    }
    for (int i = 0; i < 4; i++) {
      scene.arrives(gang("small-" + i).of(1, 1));
    }
    Member bound = bound(scene, failing);
    scene.becomes(bound, died(bound, true));
    assertThat(scene.state("a").usedGpus()).isEqualTo(4);
  }

  @Test
  void pods_of_a_large_workload_start_when_the_node_may_be_used_again() {
    Scene scene = failing(600).after(Duration.ofSeconds(62));
    assertThat(scene.state("a").usedGpus()).isEqualTo(4);
  }

  /// One pod of a workload fails on the only node, while others of it wait.
  private Scene failing(int others) {
    Scene scene = Scene.of("b/r: a[....] b[####]");
    Member failing = lone(scene, "job-0");
    for (int i = 1; i <= others; i++) {
      lone(scene, "job-" + i);
    }
    Member bound = bound(scene, failing);
    return scene.becomes(bound, died(bound, true));
  }

  private static int avoiding(Scene scene) {
    return scene
        .state()
        .waiting()
        .standing()
        .count(decision -> decision.why().main().orElseThrow() instanceof Veto.PlacesAvoided);
  }

  private Member lone(Scene scene, String name) {
    return lone(scene, name, "ml/job");
  }

  private Member lone(Scene scene, String name, String workload) {
    GangId id = new GangId("ml", GangId.Origin.POD, name);
    Member member =
        new Member(
            new MemberId("ml", name, name),
            id,
            0,
            0,
            pod.request(),
            pod.wishes(),
            new MemberState.Held(false),
            scene.now());
    scene.then(
        new Event.GangSeen(scene.now(), GangSpec.of(id, 1, "ml", scene.now()).running(workload)));
    scene.then(new Event.MemberSeen(scene.now(), member));
    return member;
  }

  @Test
  void failure_on_a_node_that_the_creator_named_does_not_count() {
    Scene scene = Scene.of(A_AND_B);
    GangDraft named = gang("named").of(1, 4);
    Member bound = named.member(0, "").as(new MemberState.Bound(new NodeId("a"), scene.now()));
    scene.then(new Event.GangSeen(scene.now(), named.spec()));
    scene.then(new Event.MemberSeen(scene.now(), bound));
    dies(scene, bound, true);
    assertThat(scene.cluster().avoided(named.id()).failures().isEmpty()).isTrue();
  }

  @Test
  void failure_counts_although_the_binding_was_never_seen() {
    Scene scene = Scene.of(A_AND_B).silent().arrives(gang);
    var rejected = new MemberState.EarlyFailure(new NodeId("a"), true);
    scene.becomes(pod, new MemberState.Ended(false, Optional.of(rejected)));
    assertThat(scene.cluster().avoided(gang.id()).strict()).containsExactly(new NodeId("a"));
  }

  @Test
  void failure_counts_after_the_pod_was_seen_bound_twice() {
    Scene scene = Scene.of(A_AND_B).arrives(gang);
    Member bound = scene.gang("g").bound().getFirst();
    scene.reports(bound, new MemberReport(Optional.of(scene.now()), Optional.empty()));
    dies(scene, bound, true);
    assertThat(scene.cluster().avoided(gang.id()).strict()).hasSize(1);
  }

  @Test
  void gang_whose_failures_were_displaced_is_tried_again() {
    GangDraft first = gang("first").of(1, 8);
    Scene scene = Scene.of("b/r: a[........] b[....]").arrives(first);
    dies(scene, scene.gang("first").bound().getFirst(), true);
    scene.then(new Event.MemberSeen(scene.now(), first.member(0, "again")));
    Instant rejected = scene.now();
    for (int i = 0; i < NodeAvoidance.OF_NAMESPACE; i++) {
      GangDraft one = gang("g" + i).of(1, 1);
      scene.arrives(one);
      Member bound = scene.gang("g" + i).bound().getFirst();
      scene.becomes(bound, died(bound, true));
    }
    assertThat(scene.now()).isEqualTo(rejected);
    assertThat(scene.after(Duration.ofSeconds(1)).nodesOf("first")).containsExactly("a");
  }

  @Test
  void members_that_die_together_count_once() {
    GangDraft pair = gang("pair").of(2, 2);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(pair);
    for (Member member : scene.gang("pair").bound()) {
      scene.becomes(member, died(member, false));
    }
    assertThat(scene.cluster().avoided(pair.id()).strict()).isEmpty();
  }

  @Test
  void node_whose_kubelet_rejects_a_pod_is_avoided_at_once() {
    Scene scene = Scene.of(A_AND_B).arrives(gang);
    dies(scene, scene.gang("g").bound().getFirst(), true);
    scene.then(new Event.MemberSeen(scene.now(), gang.member(0, "again")));
    assertThat(scene.nodesOf("g")).containsExactly("b");
  }

  @Test
  void avoided_node_is_reported_on_the_gang() {
    Scene scene = Scene.of(A_AND_B).arrives(gang);
    dies(scene, scene.gang("g").bound().getFirst(), true);
    assertThat(reports(scene))
        .singleElement()
        .satisfies(report -> {
          assertThat(report.node()).isEmpty();
          assertThat(report.message())
              .startsWith("The kubelet of a rejected a member. It is avoided until ");
        });
  }

  @Test
  void node_that_fails_gangs_of_several_namespaces_is_reported_once() {
    assertThat(warnings("ml", "ml", "vision", "vision", "ml"))
        .singleElement()
        .satisfies(report -> {
          assertThat(report.reason()).isEqualTo("GangsAvoidNode");
          assertThat(report.message())
              .startsWith("3 gangs of several namespaces avoid the node a ");
        });
  }

  @Test
  void node_that_fails_gangs_of_one_namespace_is_reported_with_another_reason() {
    assertThat(warnings("ml", "ml", "ml", "ml"))
        .singleElement()
        .satisfies(report -> {
          assertThat(report.reason()).isEqualTo("NamespaceAvoidsNode");
          assertThat(report.message()).startsWith("3 gangs of the namespace ml avoid the node a ");
        });
  }

  @Test
  void failures_in_one_namespace_do_not_hide_that_others_fail() {
    assertThat(warnings("ml", "ml", "ml", "ml", "vision", "vision"))
        .extracting(Effect.Report::reason)
        .containsExactly("NamespaceAvoidsNode", "GangsAvoidNode");
  }

  /// Returns the warnings after one gang of each namespace failed on node a.
  private static List<Effect.Report> warnings(String... namespaces) {
    Scene scene = Scene.of("b/r: a[............] b[............]");
    for (int i = 0; i < namespaces.length; i++) {
      GangDraft one = gang(namespaces[i], "g" + i).of(1, 1);
      scene.arrives(one);
      dies(scene, scene.cluster().gang(one.id()).bound().getFirst(), true);
    }
    return reports(scene).stream().filter(report -> report.node().isPresent()).toList();
  }

  @Test
  void gangs_that_fail_on_all_nodes_raise_no_warning_about_a_node() {
    Scene scene = Scene.of("b/r: a[....] b[....] c[....]");
    for (int i = 0; i < 5; i++) {
      GangDraft one = gang("g" + i).of(1, 1);
      scene.arrives(one);
      for (int times = 0; times < 3; times++) {
        dies(scene, scene.gang("g" + i).bound().getFirst(), true);
        scene.then(new Event.MemberSeen(scene.now(), one.member(0, "again" + times)));
      }
    }
    assertThat(scene.cluster().gangsAvoiding(new NodeId("c"))).isEmpty();
  }

  // ---- Helpers ----

  private static MemberState died(Member member, boolean rejected) {
    NodeId node = member.node().orElseThrow();
    return new MemberState.Ended(false, Optional.of(new MemberState.EarlyFailure(node, rejected)));
  }

  private static void dies(Scene scene, Member member, boolean rejected) {
    scene.after(Duration.ofSeconds(3));
    scene.becomes(member, died(member, rejected));
    scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
  }

  private static List<Effect.Report> reports(Scene scene) {
    return scene.asked().stream()
        .filter(Effect.Report.class::isInstance)
        .map(Effect.Report.class::cast)
        .toList();
  }
}
