package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A queue that lists its namespaces is charged for gangs of these namespaces only.
///
/// All gangs of the scenes are in the namespace `ml`, which the queue `victim` does not take.
class ForeignNamespaceTest {
  private static final Queue VICTIM = Queue.of("victim").taking(List.of("nlp"));
  private static final GangDraft FOREIGN = naming("victim");

  private static GangDraft naming(String queue) {
    return gang("g").of(2, 4).minCount(1).queue(queue);
  }

  private static Policies policies(Queue... queues) {
    return Policies.of(
        Queues.of(List.of(queues)), Policies.DEFAULT.bindTimeout(), Optional.empty());
  }

  private static Scene scene(Queue... queues) {
    return Scene.of("b/r: n1[........]", policies(queues));
  }

  private static Scene binds(Scene scene, GangDraft gang, int rank, String node) {
    Member pod = gang.member(rank, "");
    return scene.then(
        new Event.MemberSeen(
            scene.now(), pod.as(new MemberState.Bound(new NodeId(node), scene.now()))));
  }

  private static Scene declares(Scene scene, GangDraft gang) {
    return scene.then(new Event.GangSeen(scene.now(), gang.spec()));
  }

  private static int charged(Scene scene, String queue) {
    return scene.cluster().ledger().account(queue).inUse();
  }

  @Test
  void pods_bound_elsewhere_are_charged_to_their_namespace() {
    Scene scene = binds(declares(scene(VICTIM), FOREIGN), FOREIGN, 0, "n1");
    assertThat(charged(scene, "victim")).isZero();
    assertThat(charged(scene, "ml")).isEqualTo(4);
  }

  @Test
  void pods_on_a_node_that_does_not_exist_are_charged_to_their_namespace() {
    Scene scene = binds(declares(scene(VICTIM), FOREIGN), FOREIGN, 0, "none");
    assertThat(charged(scene, "victim")).isZero();
  }

  @Test
  void pods_that_come_before_their_group_are_charged_to_their_namespace() {
    Scene scene = declares(binds(scene(VICTIM), FOREIGN, 0, "n1"), FOREIGN);
    assertThat(charged(scene, "victim")).isZero();
    assertThat(charged(scene, "ml")).isEqualTo(4);
  }

  @Test
  void label_changed_while_pods_run_charges_no_other_queue() {
    Scene scene = binds(declares(scene(VICTIM, Queue.of("a")), FOREIGN), FOREIGN, 0, "n1");
    declares(scene, naming("a"));
    assertThat(charged(scene, "a")).isZero();
    assertThat(charged(scene, "ml")).isEqualTo(4);
  }

  @Test
  void gang_is_charged_to_the_queue_of_a_corrected_label_once_it_holds_nothing() {
    Scene scene = binds(declares(scene(VICTIM, Queue.of("a")), FOREIGN), FOREIGN, 0, "n1");
    declares(scene, naming("a"));
    scene.then(new Event.MemberGone(scene.now(), FOREIGN.id(), FOREIGN.member(0, "").id()));
    binds(scene, FOREIGN, 0, "n1");
    assertThat(charged(scene, "a")).isEqualTo(4);
  }

  @Test
  void queue_that_lists_the_namespace_is_charged_instead_of_one_that_does_not_exist() {
    Scene scene = scene(Queue.of("a"), Queue.of("team").taking(List.of("ml")));
    binds(declares(scene, naming("zzz")), naming("zzz"), 0, "n1");
    assertThat(charged(scene, "team")).isEqualTo(4);
    assertThat(charged(scene, "zzz")).isZero();
  }

  @Test
  void queue_that_lists_the_namespace_is_charged_instead_of_one_that_refuses_it() {
    Scene scene = scene(VICTIM, Queue.of("team").taking(List.of("ml")));
    binds(declares(scene, FOREIGN), FOREIGN, 0, "n1");
    assertThat(charged(scene, "team")).isEqualTo(4);
  }

  @Test
  void gang_that_names_no_existing_queue_is_told_so() {
    Scene scene = scene(Queue.of("team").taking(List.of("ml"))).arrives(naming("zzz"));
    assertThat(scene.whyNot("g")).contains(new Veto.UnknownQueue("zzz", List.of("team")));
  }

  @Test
  void waiting_members_are_refused_by_the_named_queue() {
    Scene scene = scene(VICTIM, Queue.of("ml")).arrives(FOREIGN);
    assertThat(scene.whyNot("g")).contains(new Veto.QueueForbidden("victim", "ml"));
  }

  @Test
  void members_beside_pods_bound_elsewhere_are_refused_by_the_named_queue() {
    Scene scene = binds(declares(scene(VICTIM, Queue.of("ml")), FOREIGN), FOREIGN, 0, "n1");
    declares(scene, FOREIGN).then(new Event.MemberSeen(scene.now(), FOREIGN.member(1, "")));
    assertThat(scene.whyNot("g")).contains(new Veto.QueueForbidden("victim", "ml"));
  }

  @Test
  void other_policies_charge_running_gangs_again() {
    Scene scene = binds(declares(scene(VICTIM), FOREIGN), FOREIGN, 0, "n1");
    scene.under(policies(VICTIM.taking(List.of("ml"))));
    assertThat(charged(scene, "ml")).isZero();
    assertThat(charged(scene, "victim")).isEqualTo(4);
  }

  @Test
  void queue_that_lists_no_namespace_is_charged_for_all() {
    Scene scene = binds(declares(scene(Queue.of("victim")), FOREIGN), FOREIGN, 0, "n1");
    assertThat(charged(scene, "victim")).isEqualTo(4);
  }

  @Test
  void queue_of_the_name_of_a_namespace_that_it_refuses_is_not_charged() {
    Scene scene = scene(Queue.of("ml").taking(List.of("nlp")));
    binds(scene, FOREIGN, 0, "n1"); // before, or without, any group
    assertThat(charged(scene, "ml")).isZero();
    binds(declares(scene, naming("ml")), FOREIGN, 1, "n1");
    assertThat(charged(scene, "ml")).isZero();
  }
}
