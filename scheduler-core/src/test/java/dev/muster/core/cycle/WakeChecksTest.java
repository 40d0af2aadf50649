package dev.muster.core.cycle;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Explanation;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Policies;
import dev.muster.core.state.WaitClass;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Comparisons of waiting classes with nodes end in time, and each namespace has its part of them.
class WakeChecksTest {
  private static final int NODES = 1_000;

  /// With the capacity and the four conditions that always count, a node counts 200.
  private static final int CONDITIONS = 195;

  private static final List<NodeState> FREE = Collections.nCopies(NODES, node());

  private static NodeState node() {
    return Scene.of("b/r: n[.]").cluster().nodes().values().getFirst();
  }

  /// A class of a pod that only nodes in rack `rack` match.
  private static WaitClass waiting(String namespace, String rack) {
    Requirement any = new Requirement("rack", Operator.EXISTS, List.of());
    List<Requirement> all = new ArrayList<>(Collections.nCopies(CONDITIONS - 1, any));
    all.add(new Requirement("rack", Operator.IN, List.of(rack)));
    GangDraft pod =
        gang(namespace, "pod").selecting(new NodeSelection(all, List.of(), List.of())).of(1, 1);
    Scene scene = Scene.of("b/r: full[#]").silent().arrives(pod);
    Explanation why = new Explanation(0, scene.now(), 0, Optional.empty(), SortedTable.empty());
    return WaitClass.of(
            scene.cluster(),
            RuntimeHistory.NONE,
            scene.cluster().gang(pod.id()),
            Policies.DEFAULT,
            why)
        .with(new WaitClass.Age(scene.now(), pod.id()));
  }

  private static List<WaitClass> waiting(int namespaces) {
    return IntStream.range(0, namespaces).mapToObj(i -> waiting("ns-" + i, "elsewhere")).toList();
  }

  /// Returns how often the class is compared with all nodes before it is no longer permitted.
  private static int compared(WakeChecks checks, WaitClass waits) {
    int times = 0;
    while (checks.permits(waits) && times < NODES) {
      assertThat(checks.findsRoomOnAny(waits, FREE)).isFalse();
      times++;
    }
    return times;
  }

  /// Six million conditions.
  @Test
  void namespace_has_a_part_of_its_own() {
    WakeChecks checks = new WakeChecks();
    List<WaitClass> two = waiting(2);
    checks.share(two);
    assertThat(two).extracting(waits -> compared(checks, waits)).containsOnly(30);
  }

  /// 24 million conditions, 600,000 for each.
  @Test
  void many_namespaces_share_the_conditions_of_a_step() {
    WakeChecks checks = new WakeChecks();
    List<WaitClass> many = waiting(40);
    checks.share(many);
    assertThat(many).extracting(waits -> compared(checks, waits)).containsOnly(3);
  }

  /// 24,000 conditions are 120 nodes.
  @Test
  void comparison_ends_with_the_part_of_its_namespace() {
    WakeChecks checks = new WakeChecks();
    checks.share(waiting(1_000));
    WaitClass matching = waiting("ns-0", "r");
    List<NodeState> late = new ArrayList<>(Collections.nCopies(120, unlike()));
    late.add(node());
    assertThat(checks.findsRoomOnAny(matching, late)).isFalse();
    assertThat(checks.permits(matching)).isFalse();
  }

  private static NodeState unlike() {
    return Scene.of("b/elsewhere: n[.]").cluster().nodes().values().getFirst();
  }
}
