package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.preempt.PreemptionOutcome;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.PreemptionPlan;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.util.Map;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/// Victims are searched on all promising nodes of large clusters.
class VictimScopeTest {
  private static final int NODES = 33 * 16;
  private static final Policies POLICIES =
      Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.SHADOW));
  private static final Engine ENGINE = new Engine(POLICIES);

  private State state = State.empty(Scene.RACKS);

  private void then(Event event) {
    state = ENGINE.step(state, event).after();
  }

  /// Racks of 16 nodes of 8 GPUs. Gangs on some nodes may be preempted, those on all others may
  /// not.
  private void cluster(IntPredicate mayLeave) {
    for (int number = 0; number < NODES; number++) {
      String name = "n%03d".formatted(number);
      NodeId id = new NodeId(name);
      Map<String, String> labels = Map.of("block", "b", "rack", "r%02d".formatted(number / 16));
      then(new Event.NodeSeen(Scene.START, Scene.node(name, labels, 8, "H100", false)));
      if (mayLeave.test(number)) {
        GangDraft low = gang("low" + number).of(1, 8);
        then(new Event.GangSeen(Scene.START, low.spec()));
        Member pod = low.members().getFirst();
        MemberState runs = new MemberState.Bound(id, Scene.START);
        then(new Event.MemberSeen(Scene.START, pod.as(runs)));
      } else {
        Resources all = Resources.of("nvidia.com/gpu", 8);
        then(new Event.UnmanagedPodSeen(Scene.START, Scene.unmanagedPod(name), id, all, 8));
      }
    }
    then(new Event.Synced(Scene.START));
  }

  private PreemptionOutcome prospect(GangDraft gang) {
    then(new Event.GangSeen(Scene.START, gang.spec()));
    gang.members().forEach(member -> then(new Event.MemberSeen(Scene.START, member)));
    return PreemptionOutcome.of(state, POLICIES, gang.id());
  }

  private static int victims(PreemptionOutcome outcome) {
    return outcome instanceof PreemptionOutcome.Plan(_, PreemptionPlan plan)
        ? plan.victims().size()
        : 0;
  }

  @Test
  void too_small_racks_do_not_end_the_search_in_the_whole_cluster() {
    cluster(number -> number % 16 == 15);
    assertThat(victims(prospect(gang("high").of(4, 8).priority(10)))).isEqualTo(4);
  }

  @Test
  void nodes_without_candidates_do_not_end_the_search_elsewhere() {
    cluster(number -> number >= NODES - 2);
    assertThat(victims(prospect(gang("high").of(1, 8).priority(10)))).isEqualTo(1);
  }
}
