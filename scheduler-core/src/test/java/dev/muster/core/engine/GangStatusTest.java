package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import org.junit.jupiter.api.Test;

/// What is shown of gangs that nobody has tried.
class GangStatusTest {
  private final GangDraft draft = gang("a").of(2, 4);
  private final Scene scene = Scene.of("b/r: n1[....] n2[....]");

  private GangStatus shown() {
    return scene.state().published().get(draft.id()).orElseThrow().status();
  }

  @Test
  void a_gang_without_pods_waits_for_them() {
    scene.then(new Event.GangSeen(scene.now(), draft.spec()));
    assertThat(shown().reason()).isEqualTo("WaitingForMembers");
    assertThat(shown().message())
        .startsWith("No pod names it yet. Maybe ")
        .contains("are for a scheduler that is not ours", "have an Event InvalidSpecification");
  }

  @Test
  void a_gang_whose_pods_others_hold_waits_for_them() {
    Member member = draft.member(0, "");
    scene
        .then(new Event.GangSeen(scene.now(), draft.spec()))
        .then(new Event.MemberSeen(scene.now(), member.as(new MemberState.Held(true))));
    assertThat(shown().reason()).isEqualTo("WaitingForMembers");
  }

  @Test
  void where_nobody_looks_nothing_is_shown_and_the_same_decided() {
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
