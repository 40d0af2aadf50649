package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A gang whose object refuses its records, or whose start switch is refused, holds no capacity,
/// and no other gang leaves for it.
class UnrecordableGangTest {
  private static final String FULL = "422 metadata.annotations: Too long";

  private static Event reservationRefused(Scene scene, String name) {
    return new Event.ReservationNotWritten(scene.now(), gang(name).id(), FULL, Optional.of(422));
  }

  private static String reason(Scene scene, String name) {
    return scene
        .state()
        .why(gang(name).id())
        .flatMap(Explanation::main)
        .map(ReasonText::token)
        .orElse("");
  }

  @Test
  void refused_record_gives_the_nodes_to_the_next_gang() {
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.DEFAULT)
            .silent()
            .arrives(gang("full").of(1, 4))
            .arrives(gang("next").of(1, 4));
    assertThat(scene.state().cluster().reservations().contains(gang("full").id())).isTrue();

    scene.then(reservationRefused(scene, "full"));

    assertThat(reason(scene, "full")).isEqualTo("RecordRefused");
    assertThat(scene.state().cluster().reservations().contains(gang("full").id())).isFalse();
    assertThat(scene.state().cluster().reservations().contains(gang("next").id())).isTrue();
  }

  private static Event startRefused(Scene scene, String name) {
    Reservation held = scene.state().cluster().reservations().get(gang(name).id()).orElseThrow();
    Promise first = held.promises().values().getFirst();
    return new Event.MemberNotStarted(
        scene.now(), gang(name).id(), first.member(), first.node(), FULL, Optional.of(403));
  }

  @Test
  void refused_start_switch_gives_the_nodes_to_the_next_gang_for_two_minutes() {
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.DEFAULT).silent().arrives(gang("quota").of(1, 4));
    scene.then(startRefused(scene, "quota"));
    assertThat(reason(scene, "quota")).isEqualTo("StartRefused");

    scene.after(Duration.ofSeconds(110));
    assertThat(scene.state().cluster().reservations().contains(gang("quota").id())).isFalse();
    scene.after(Duration.ofSeconds(15));
    assertThat(scene.state().cluster().reservations().contains(gang("quota").id())).isTrue();
  }

  /// The promises of this gang are recorded, and its first pod is bound.
  private static Scene begun(GangDraft gang) {
    Scene scene = Scene.of("b/r: n1[....] n2[....]", Policies.DEFAULT).silent().arrives(gang);
    Reservation held = scene.state().cluster().reservations().get(gang.id()).orElseThrow();
    scene.then(new Event.ReservationWritten(scene.now(), gang.id(), held.edition()));
    Promise first = held.promises().values().getFirst();
    return scene.becomes(gang.member(0, ""), new MemberState.Bound(first.node(), scene.now()));
  }

  @Test
  void gang_of_which_a_part_is_bound_leaves_at_once_when_the_others_cannot_start() {
    Scene scene = begun(gang("half").of(2, 2));
    scene.then(startRefused(scene, "half"));
    assertThat(reason(scene, "half")).isEqualTo("StartRefused");
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).hasSize(1);
  }

  @Test
  void gang_stays_while_enough_others_start() {
    Scene scene = begun(gang("enough").of(3, 2).minCount(2));
    scene.then(startRefused(scene, "enough"));
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
  }

  @Test
  void gang_is_tried_again_after_two_minutes() {
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.DEFAULT).silent().arrives(gang("full").of(1, 4));
    scene.then(reservationRefused(scene, "full"));

    scene.after(Duration.ofSeconds(110));
    assertThat(scene.state().cluster().reservations().contains(gang("full").id())).isFalse();
    scene.after(Duration.ofSeconds(15));
    assertThat(scene.state().cluster().reservations().contains(gang("full").id())).isTrue();
  }

  @Test
  void temporary_failure_keeps_the_nodes() {
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.DEFAULT).silent().arrives(gang("slow").of(1, 4));
    scene.then(new Event.ReservationNotWritten(scene.now(), gang("slow").id(), "503 later"));

    assertThat(scene.state().cluster().reservations().contains(gang("slow").id())).isTrue();
  }

  @Test
  void nobody_leaves_for_a_gang_whose_object_refuses_the_victims() {
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.DEFAULT.with(new SceneEvents(Duration.ofMinutes(1))))
            .arrives(gang("low").of(1, 4))
            .silent()
            .arrives(gang("full").of(1, 4).priority(10))
            .after(Duration.ofSeconds(1));
    assertThat(scene.state().preemptions().by(gang("low").id())).isPresent();

    scene.then(
        new Event.VictimsNotRecorded(scene.now(), gang("full").id(), FULL, Optional.of(422)));

    assertThat(scene.state().preemptions().by(gang("low").id())).isEmpty();
    assertThat(scene.asked())
        .filteredOn(Effect.Report.class::isInstance)
        .singleElement()
        .satisfies(
            effect -> assertThat(((Effect.Report) effect).reason()).isEqualTo("RecordRefused"));
  }
}
