package dev.muster.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.FaultyWorld;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.util.ArrayList;
import java.util.List;

/// Checks a [FaultyWorld] whose faults have ended. Everything ends, and no gang waits or runs in
/// part.
final class CalmChecks {
  private CalmChecks() {}

  /// Throws an `AssertionError` unless every promise holds once the faults have ended.
  static void afterwards(FaultyWorld world) {
    PromiseChecks.require(
        world.cluster().reservations().isEmpty(),
        "reservations do not end",
        world.cluster().reservations());
    PromiseChecks.require(
        world.state().preemptions().underWay().isEmpty(),
        "preemptions do not end",
        world.state().preemptions().underWay());
    for (Hold hold : world.cluster().holds()) {
      boolean ends = hold.kind() == Hold.Kind.HOLE || hold.kind() == Hold.Kind.ENDING;
      PromiseChecks.require(!ends, "does not end", hold);
      PromiseChecks.require(
          world.state().waiting().seats().contains(hold.gang()), "nobody's", hold);
    }
    for (GangSpec spec : world.groups()) {
      List<Member> mates =
          world.pods().stream().filter(pod -> pod.gang().equals(spec.id())).toList();
      long bound = mates.stream().filter(m -> m.isBound() || m.hasSucceeded()).count();
      boolean runs = mates.stream().anyMatch(Member::isBound);
      PromiseChecks.require(
          !runs || bound >= spec.minCount() || world.isExcused(spec.id()),
          "runs in part (gang, running, minimum, members)",
          spec.id(),
          bound,
          spec.minCount(),
          mates);
      PromiseChecks.require(
          !PromiseChecks.alone(spec.id(), world.state(), world.policies()).isAdmitted(),
          "would fit but waits",
          spec.id(),
          world.state().why(spec.id()));
    }
    replay(world);
  }

  /// Compares state and effects with those of an engine that gets the recorded events.
  private static void replay(FaultyWorld world) {
    State replayed = world.empty();
    List<Effect> asked = new ArrayList<>();
    for (Event event : world.told()) {
      Step step = new Engine(world.policies()).step(replayed, event);
      asked.addAll(step.effects());
      replayed = step.after();
    }
    assertThat(replayed).isEqualTo(world.state());
    assertThat(asked).isEqualTo(world.asked());
  }
}
