package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.GangStatus;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Step;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The status of gangs is shown in words.
class GangStatusTest {
  private final GangDraft draft = gang("a").of(2, 4);
  private final Scene scene = Scene.of("b/r: n1[........] n2[....]");

  private GangStatus shown() {
    return scene.state().published().get(draft.id()).orElseThrow().status();
  }

  @Test
  void gang_without_pods_waits_for_them() {
    scene.then(new Event.GangSeen(scene.now(), draft.spec()));
    assertThat(shown().reason()).isEqualTo("WaitingForMembers");
    assertThat(shown().message())
        .startsWith("No pod names it yet. Possible causes: ")
        .contains(
            "name another gang, namespace or scheduler", "have an Event InvalidSpecification");
  }

  /// A gang of two of which one lost its node.
  private Scene halved() {
    Scene halved = Scene.of("b/r: n1[....] n2[....]").arrives(draft);
    Member lost = draft.member(1, "");
    halved.then(new Event.NodeGone(halved.now(), new NodeId("n2")));
    return halved.then(new Event.MemberGone(halved.now(), lost.gang(), lost.id()));
  }

  private String message(Scene of) {
    return of.state().published().get(draft.id()).orElseThrow().status().message();
  }

  @Test
  void replacement_without_a_place_names_the_release_of_its_gang() {
    Scene halved = halved();
    halved.becomes(draft.member(1, "-again"), new MemberState.Held(false));
    assertThat(message(halved))
        .startsWith("1 member runs, 1 wait: ")
        .contains("until 2026-11-01T00:10:00Z (repairTimeout)");
  }

  @Test
  void gang_that_lacks_pods_is_not_released() {
    assertThat(message(halved())).doesNotContain("repairTimeout");
  }

  @Test
  void gang_of_an_invalid_pod_group_states_its_mistakes() {
    scene.then(ignored(Discrepancies.ofDeclaration("The field x is (y).")));
    assertThat(shown().reason()).isEqualTo("InvalidSpecification");
    assertThat(shown().message()).isEqualTo("The field x is (y).");

    scene.then(new Event.MemberSeen(scene.now(), draft.member(0, "")));
    assertThat(shown().reason()).isEqualTo("InvalidSpecification");
    assertThat(scene.whyNot("a")).contains(new Veto.Unreadable(Optional.of("The field x is (y).")));

    scene
        .then(ignored(Discrepancies.NONE))
        .then(new Event.GangSeen(scene.now(), draft.spec()))
        .then(new Event.MemberSeen(scene.now(), draft.member(1, "")));
    assertThat(shown().reason()).isEqualTo("Running");
  }

  @Test
  void gang_whose_pods_belong_to_another_scheduler_names_it() {
    scene
        .then(new Event.GangSeen(scene.now(), draft.spec()))
        .then(ignored(foreign(Map.of("default-scheduler", 2))));
    assertThat(shown().reason()).isEqualTo("WaitingForMembers");
    assertThat(shown().message())
        .isEqualTo("2 pods name it, but belong to default-scheduler, which does not ask Muster.");

    scene
        .then(ignored(foreign(Map.of("default-scheduler", 1))))
        .then(new Event.MemberSeen(scene.now(), draft.member(0, "")));
    assertThat(shown().message())
        .isEqualTo(
            "1 of 2 members exist; 1 more must be created before any starts. 1 pod names it, but belongs to default-scheduler, which does not ask Muster.");
  }

  @Test
  void gang_names_the_mistakes_of_its_first_invalid_pod() {
    scene
        .then(new Event.GangSeen(scene.now(), draft.spec()))
        .then(
            ignored(
                new Discrepancies(
                    Optional.empty(), new TreeMap<>(), 2, Optional.of("p-0: Wrong."))));
    assertThat(shown().message()).isEqualTo("2 pods name it, but are invalid. p-0: Wrong.");
  }

  @Test
  void running_gang_with_an_edited_invalid_pod_group_says_so() {
    scene.arrives(draft);
    scene.then(ignored(Discrepancies.ofDeclaration("Wrong.")));
    assertThat(shown().message())
        .endsWith(" Its present form is invalid, so the earlier form counts. Wrong.");
  }

  private Event ignored(Discrepancies found) {
    return new Event.DiscrepanciesSeen(scene.now(), draft.id(), found);
  }

  private static Discrepancies foreign(Map<String, Integer> schedulers) {
    return new Discrepancies(Optional.empty(), new TreeMap<>(schedulers), 0, Optional.empty());
  }

  @Test
  void gang_with_pods_gated_by_others_waits_for_them() {
    Member member = draft.member(0, "");
    scene
        .then(new Event.GangSeen(scene.now(), draft.spec()))
        .then(new Event.MemberSeen(scene.now(), member.as(new MemberState.Held(true))));
    assertThat(shown().reason()).isEqualTo("WaitingForMembers");
  }

  @Test
  void pod_gated_by_others_need_not_be_created() {
    Member first = draft.member(0, "");
    Member second = draft.member(1, "");
    scene
        .then(new Event.MemberSeen(scene.now(), first.as(new MemberState.Held(true))))
        .then(new Event.GangSeen(scene.now(), draft.spec()));
    assertThat(shown().message())
        .isEqualTo(
            "1 of 2 members exist; 1 more must be created before any starts. Another scheduling gate holds 1 pod.");
    scene.then(new Event.MemberSeen(scene.now(), second));
    assertThat(shown().message())
        .isEqualTo("1 of 2 members may start. Another scheduling gate holds 1 pod.");
  }

  @Test
  void one_member_runs_and_several_run() {
    assertThat(messageOfRunning(gang("lone").of(1, 4))).isEqualTo("1 member runs.");
    assertThat(messageOfRunning(draft)).isEqualTo("2 members run.");
  }

  private String messageOfRunning(GangDraft running) {
    scene.then(new Event.GangSeen(scene.now(), running.spec()));
    for (int i = 0; i < running.spec().minCount(); i++) {
      MemberState bound = new MemberState.Bound(new NodeId("n" + (i + 1)), scene.now());
      scene.then(new Event.MemberSeen(scene.now(), running.member(i, "").as(bound)));
    }
    return scene.state().published().get(running.id()).orElseThrow().status().message();
  }

  @Test
  void hidden_status_changes_no_decision() {
    Event declared = new Event.GangSeen(scene.now(), draft.spec());
    Engine engine = new Engine(Policies.DEFAULT);
    Step seen = engine.step(scene.state(), declared);
    Step unseen = engine.step(scene.state().unseen(), declared);
    assertThat(seen.effects()).hasAtLeastOneElementOfType(Effect.Publish.class);
    assertThat(unseen.effects()).doesNotHaveAnyElementsOfTypes(Effect.Publish.class);
    assertThat(unseen.decisions()).isEqualTo(seen.decisions());
    assertThat(unseen.after().standing()).isEqualTo(seen.after().standing());
  }
}
