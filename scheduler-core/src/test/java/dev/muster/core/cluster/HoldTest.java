package dev.muster.core.cluster;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState.NodeShare;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The worked example of [HeldCapacity] holds.
class HoldTest {
  private static final NodeId NODE = new NodeId("n1");
  private static final MemberId POD = Scene.unmanagedPod("n1");
  private static final GangId A = gang("a").id();
  private static final GangId B = gang("b").id();

  private final Cluster now =
      Scene.of("b/r: n1[######..]")
          .cluster()
          .with(hold(A, Hold.Kind.PLANNED, SortedKeys.of(List.of(POD))))
          .with(hold(B, Hold.Kind.DRAINING, SortedKeys.empty()));

  private static Hold hold(GangId gang, Hold.Kind kind, SortedKeys<MemberId> leavers) {
    NodeShare all = new NodeShare(Resources.of("nvidia.com/gpu", 8), 8);
    return new Hold(
        gang,
        kind,
        Optional.empty(),
        Scene.START,
        SortedTable.<NodeId, Hold.Share>empty().with(NODE, new Hold.Share(all, leavers)));
  }

  private static int free(Cluster image) {
    return image.nodes().get(NODE).orElseThrow().freeGpus();
  }

  @Test
  void freed_capacity_is_held_for_the_planned_gang() {
    Cluster ended = now.apply(new Event.UnmanagedPodGone(Scene.START, POD));
    assertThat(List.of(free(now), free(ended))).containsExactly(0, 0);
    assertThat(List.of(free(now.withoutHold(B)), free(ended.withoutHold(B)))).containsExactly(0, 0);
    assertThat(List.of(free(now.openedTo(A, List.of(B))), free(ended.openedTo(A, List.of(B)))))
        .containsExactly(2, 8);
  }

  @Test
  void later_hold_gets_the_remainder_of_earlier_ones() {
    Cluster alone = now.withoutHold(A);
    assertThat(free(alone)).isZero();
    assertThat(free(alone.withoutHold(B))).isEqualTo(2);
  }
}
