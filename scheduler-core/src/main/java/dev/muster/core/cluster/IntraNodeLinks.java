package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.FreeGpus;
import dev.muster.core.topology.MachineModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The links between the GPUs of one member within its node, if the machine is known.
///
/// If the unused GPUs are known, a member that is about to start is shown the best connected ones.
/// Members that start on one node share them out in rank order. Otherwise, and once the member has
/// started, the worst set of this many GPUs of the machine counts.
///
/// @param gpus indexes of the best connected GPUs, ascending; empty if it is not known which GPUs
///   the member gets
/// @param mbps bottleneck between them in Mbit/s in one direction; a lower bound if `gpus` is empty
public record IntraNodeLinks(List<Integer> gpus, long mbps) {
  public IntraNodeLinks {
    gpus = List.copyOf(gpus);
  }

  /// Returns the links of the gang's members that are bound or have a promise.
  ///
  /// Members with fewer than two GPUs and members on unknown machines are left out.
  public static SortedMap<MemberId, IntraNodeLinks> of(Cluster cluster, GangId gang) {
    SortedTable<MemberId, Promise> promises =
        cluster.reservations().get(gang).map(Reservation::promises).orElseGet(SortedTable::empty);
    List<Member> byRank = new ArrayList<>(cluster.gang(gang).members().values());
    byRank.sort(Member.BY_RANK);
    SortedMap<MemberId, IntraNodeLinks> links = new TreeMap<>();
    SortedMap<NodeId, SortedSet<Integer>> unused = new TreeMap<>();
    for (Member member : byRank) {
      Optional<NodeId> promised = promises.get(member.id()).map(Promise::node);
      int gpus = member.request().gpus();
      promised
          .flatMap(cluster.nodes()::get)
          .flatMap(node -> best(node, gpus, unused))
          .or(() ->
              promised
                  .or(member::node)
                  .flatMap(cluster.nodes()::get)
                  .flatMap(n -> atLeast(n, gpus)))
          .ifPresent(link -> links.put(member.id(), link));
    }
    return links;
  }

  private static Optional<IntraNodeLinks> best(
      NodeState node, int gpus, SortedMap<NodeId, SortedSet<Integer>> unused) {
    SortedSet<Integer> left =
        unused.computeIfAbsent(
            node.id(), _ -> new TreeSet<>(node.unusedGpuSet().indexes().orElseGet(TreeSet::new)));
    return machine(node, gpus)
        .map(machine -> best(machine, gpus, left))
        .filter(link -> !link.gpus.isEmpty());
  }

  private static IntraNodeLinks best(MachineModel machine, int gpus, SortedSet<Integer> left) {
    List<Integer> best = machine.bestSubset(gpus, left);
    long mbps = machine.bandwidthOf(gpus, FreeGpus.of(new TreeSet<>(best)));
    left.removeAll(best);
    return new IntraNodeLinks(best, mbps);
  }

  private static Optional<IntraNodeLinks> atLeast(NodeState node, int gpus) {
    return machine(node, gpus)
        .map(machine -> new IntraNodeLinks(List.of(), machine.guaranteed(gpus)));
  }

  private static Optional<MachineModel> machine(NodeState node, int gpus) {
    return node.machine().filter(machine -> gpus >= 2 && gpus <= machine.gpus());
  }
}
