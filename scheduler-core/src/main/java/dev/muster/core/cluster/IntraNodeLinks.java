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

/// How well the GPUs of one member are joined within its node, whose machine is known.
///
/// Where it is known which GPUs are unused, a member that is yet to start is shown the best joined
/// of them; members that come to the same node share them out in rank order. Else, and once it has
/// started, what counts is what any so many GPUs of the machine have.
///
/// @param gpus the indexes of the best joined GPUs, ascending; empty where it is not known which
///   GPUs it gets
/// @param mbps the bottleneck between them in Mbit/s, one direction; where none are named, what it
///   is at least
public record IntraNodeLinks(List<Integer> gpus, long mbps) {
  public IntraNodeLinks {
    gpus = List.copyOf(gpus);
  }

  /// The links of a gang's members that have a node, by promise or by seat; members with fewer than
  /// two GPUs need none, and those on machines that are not known are left out.
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
    return machine(node, gpus).map(machine -> new IntraNodeLinks(List.of(), machine.guaranteed(gpus)));
  }

  private static Optional<MachineModel> machine(NodeState node, int gpus) {
    return node.machine().filter(machine -> gpus >= 2 && gpus <= machine.gpus());
  }
}
