package dev.muster.core.kit;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Fills nodes with running gangs. Consecutive members of equal size on nodes of one model form a
/// gang.
final class RunningJobs {
  private final Random random;
  private final Consumer<Event> to;
  private final Map<String, Starting> starting = new TreeMap<>();
  private int count;

  RunningJobs(Random random, Consumer<Event> to) {
    this.random = random;
    this.to = to;
  }

  /// A gang whose members are still being placed.
  private record Starting(int size, int gpusEach, List<NodeId> nodes) {}

  /// Puts pods of this many GPUs in all on the node.
  void fill(Node node, int gpus) {
    int most = 1 << random.nextInt(4);
    for (int left = gpus; left > 0; ) {
      int size = Math.min(most, Integer.highestOneBit(left));
      place(node, size);
      left -= size;
    }
  }

  private void place(Node node, int gpusEach) {
    String kind = node.model().name() + "/" + gpusEach;
    Starting gang = starting.computeIfAbsent(kind, _ -> begun(gpusEach));
    gang.nodes().add(node.id());
    if (gang.nodes().size() == gang.size()) {
      starting.remove(kind);
      tell(gang);
    }
  }

  /// Of 1 to 128 members of 8 GPUs, or of up to 32 smaller ones.
  private Starting begun(int gpusEach) {
    return new Starting(1 << random.nextInt(gpusEach == 8 ? 8 : 6), gpusEach, new ArrayList<>());
  }

  /// The last gangs are as big as they have become.
  void end() {
    starting.values().forEach(this::tell);
    starting.clear();
  }

  private void tell(Starting gang) {
    ScenarioJob job = ScenarioJob.of(count++, gang.nodes().size(), gang.gpusEach());
    to.accept(new Event.GangSeen(BusyCluster.NOW, job.spec()));
    for (int rank = 0; rank < gang.nodes().size(); rank++) {
      NodeId node = new NodeId("" + gang.nodes().get(rank).name());
      MemberState bound = new MemberState.Bound(node, BusyCluster.NOW.minusSeconds(60L * rank));
      to.accept(new Event.MemberSeen(BusyCluster.NOW, job.member(rank, bound)));
    }
  }
}
