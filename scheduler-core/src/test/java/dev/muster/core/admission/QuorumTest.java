package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QuorumTest {
  private static final Optional<Duration> MINUTE = Optional.of(Duration.ofMinutes(1));

  @Test
  void gang_that_lacks_members_for_too_long_times_out() {
    Scene scene = scene(MINUTE);
    scene.then(new Event.GangSeen(scene.now(), gang("a").of(2, 4).spec()));
    scene.then(new Event.MemberSeen(scene.now(), gang("a").of(2, 4).member(0, "")));

    assertThat(scene.after(Duration.ofSeconds(30)).whyNot("a"))
        .containsInstanceOf(Veto.TooFewMembers.class);
    assertThat(scene.after(Duration.ofSeconds(40)).whyNot("a"))
        .containsInstanceOf(Veto.GatheringTimedOut.class);
  }

  @Test
  void gang_may_state_its_own_gathering_time() {
    Scene scene = scene(Optional.empty());
    GangDraft gang = gang("a").of(2, 4);
    scene.then(new Event.GangSeen(scene.now(), gang.spec().gatheringWithin(MINUTE)));
    scene.then(new Event.MemberSeen(scene.now(), gang.member(0, "")));

    assertThat(scene.after(Duration.ofSeconds(70)).whyNot("a"))
        .contains(new Veto.GatheringTimedOut(1, 2, Duration.ofMinutes(1)));
  }

  @Test
  void short_gathering_time_does_not_shorten_the_binding_time() {
    Scene scene = scene(Optional.empty()).silent();
    GangDraft gang = gang("a").of(2, 4);
    Optional<Duration> tenSeconds = Optional.of(Duration.ofSeconds(10));
    scene.then(new Event.GangSeen(scene.now(), gang.spec().gatheringWithin(tenSeconds)));
    for (Member member : gang.members()) {
      scene.then(new Event.MemberSeen(scene.now(), member));
    }

    assertThat(scene.after(Duration.ofSeconds(11)).decisions())
        .noneMatch(Decision.Release.class::isInstance);
  }

  private static Scene scene(Optional<Duration> patience) {
    return Scene.of("b/r: n1[........]", Policies.of(Duration.ofMinutes(2), patience));
  }
}
