package dev.muster.server.tracing;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A phase keeps its last events.
class PhaseEventsTest {
  private static final GangId GANG = gang("late").id();
  private static final Cluster CLUSTER = Cluster.empty(Scene.RACKS);

  private final PhaseEvents events = new PhaseEvents(GANG);

  private static State waiting(Veto why) {
    return State.of(CLUSTER).resting(new Decision.Wait(GANG, Explanation.of(CLUSTER, why)));
  }

  private List<String> names() {
    return events.list().stream().map(GangSpan.Happening::name).toList();
  }

  @Test
  void oldest_events_of_a_restless_gang_are_forgotten() {
    events.see(waiting(new Veto.NoPodGroup(1)), LifePhase.WAITING);
    for (int i = 0; i < PhaseEvents.MOST / 2; i++) {
      events.see(waiting(new Veto.UnknownQueue("q", List.of())), LifePhase.WAITING);
      events.see(waiting(new Veto.UnknownLevel("rack", List.of())), LifePhase.WAITING);
    }
    assertThat(names())
        .hasSize(PhaseEvents.MOST)
        .containsOnly("UnknownQueue", "UnknownTopologyLevel");
  }

  @Test
  void next_phase_begins_without_events() {
    events.see(waiting(new Veto.NoPodGroup(1)), LifePhase.WAITING);
    events.clear();
    assertThat(names()).isEmpty();
    events.see(waiting(new Veto.NoPodGroup(1)), LifePhase.WAITING);
    assertThat(names()).containsExactly("PodGroupMissing");
  }
}
