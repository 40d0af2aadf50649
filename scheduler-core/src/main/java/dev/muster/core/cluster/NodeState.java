package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.FreeGpus;
import dev.muster.core.topology.MachineFamily;
import dev.muster.core.topology.MachineModel;
import java.util.Optional;

/// A node with all that is on it.
///
/// @param node what it says of itself
/// @param path the topology domain it lies in
/// @param machine how its GPUs are joined, if its labels tell
/// @param occupants what each pod bound to it takes
/// @param promises what is promised on it to pods not bound yet
/// @param used the sum over the occupants
/// @param promised the sum over the promises
public record NodeState(
    Node node,
    DomainPath path,
    Optional<MachineModel> machine,
    SortedTable<MemberId, Occupant> occupants,
    SortedTable<MemberId, Occupant> promises,
    Resources used,
    Resources promised) {
  /// A share of a node.
  ///
  /// @param resources what is taken
  /// @param gpus how many whole GPUs are among them
  public record Occupant(Resources resources, int gpus) {}

  static NodeState empty(Node node, DomainPath path) {
    return new NodeState(
        node,
        path,
        machine(node),
        SortedTable.empty(),
        SortedTable.empty(),
        Resources.NONE,
        Resources.NONE);
  }

  private static Optional<MachineModel> machine(Node node) {
    return MachineFamily.recognise(node.labels(), node.gpus());
  }

  public NodeId id() {
    return node.id();
  }

  /// What is neither used nor promised; negative where devices vanished under their pods.
  public Resources free() {
    return node.allocatable().minus(used).minus(promised);
  }

  /// Free whole GPUs, at least 0.
  public int freeGpus() {
    return Math.max(0, node.gpus() - usedGpus() - promisedGpus());
  }

  /// Which GPUs are free. What the node is said to have free is believed while it is as many as the
  /// books say, promises counted as taken, and the machine has such GPUs.
  public FreeGpus freeGpuSet() {
    return node.freeGpus()
        .filter(known -> known.size() == freeGpus())
        .filter(known -> machine.isEmpty() || known.headSet(machine.get().gpus()).equals(known))
        .map(FreeGpus::of)
        .orElseGet(() -> FreeGpus.any(freeGpus()));
  }

  public int usedGpus() {
    return sum(occupants);
  }

  public int promisedGpus() {
    return sum(promises);
  }

  private static int sum(SortedTable<MemberId, Occupant> shares) {
    int gpus = 0;
    for (Occupant share : shares) {
      gpus += share.gpus();
    }
    return gpus;
  }

  NodeState with(Node other, DomainPath otherPath) {
    Optional<MachineModel> known = other.equals(node) ? machine : machine(other);
    return new NodeState(other, otherPath, known, occupants, promises, used, promised);
  }

  NodeState occupiedBy(MemberId pod, Occupant share) {
    Resources before = occupants.get(pod).map(Occupant::resources).orElse(Resources.NONE);
    return new NodeState(
        node,
        path,
        machine,
        occupants.with(pod, share),
        promises,
        used.minus(before).plus(share.resources()),
        promised);
  }

  NodeState leftBy(MemberId pod) {
    Resources before = occupants.get(pod).map(Occupant::resources).orElse(Resources.NONE);
    return new NodeState(
        node, path, machine, occupants.without(pod), promises, used.minus(before), promised);
  }

  /// This node with what the member needs promised to it.
  public NodeState promising(Member member) {
    MemberId pod = member.id();
    Occupant share = new Occupant(member.request().resources(), member.request().gpus());
    Resources before = promises.get(pod).map(Occupant::resources).orElse(Resources.NONE);
    return new NodeState(
        node,
        path,
        machine,
        occupants,
        promises.with(pod, share),
        used,
        promised.minus(before).plus(share.resources()));
  }

  NodeState unpromisedTo(MemberId pod) {
    Resources before = promises.get(pod).map(Occupant::resources).orElse(Resources.NONE);
    return new NodeState(
        node, path, machine, occupants, promises.without(pod), used, promised.minus(before));
  }
}
