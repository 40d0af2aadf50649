package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.topology.DomainPath;
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
/// @param claims what gangs that cannot use it yet are to find here
/// @param withheld what is kept free for those claims now
public record NodeState(
    Node node,
    DomainPath path,
    Optional<MachineModel> machine,
    SortedTable<MemberId, Occupant> occupants,
    SortedTable<MemberId, Occupant> promises,
    Resources used,
    Resources promised,
    SortedTable<GangId, Hold.Claim> claims,
    Occupant withheld) {
  /// A share of a node.
  ///
  /// @param resources what is taken
  /// @param gpus how many whole GPUs are among them
  public record Occupant(Resources resources, int gpus) {
    static final Occupant NONE = new Occupant(Resources.NONE, 0);
  }

  static NodeState empty(Node node, DomainPath path) {
    return new NodeState(
        node,
        path,
        machine(node),
        SortedTable.empty(),
        SortedTable.empty(),
        Resources.NONE,
        Resources.NONE,
        SortedTable.empty(),
        Occupant.NONE);
  }

  private static Optional<MachineModel> machine(Node node) {
    return MachineFamily.recognise(node.labels(), node.gpus());
  }

  public NodeId id() {
    return node.id();
  }

  /// What is neither used nor promised nor withheld; negative where devices vanished under their
  /// pods.
  public Resources free() {
    return unpromised().minus(withheld.resources());
  }

  /// What is neither used nor promised, whomever it is withheld for.
  public Resources unpromised() {
    return node.allocatable().minus(used).minus(promised);
  }

  /// Free whole GPUs, at least 0.
  public int freeGpus() {
    return unpromisedGpus() - withheld.gpus();
  }

  private int unpromisedGpus() {
    return Math.max(0, node.gpus() - usedGpus() - promisedGpus());
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
    return new NodeState(
            other, otherPath, known, occupants, promises, used, promised, claims, withheld)
        .withholding();
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
            promised,
            claims,
            withheld)
        .withholding();
  }

  NodeState leftBy(MemberId pod) {
    Resources before = occupants.get(pod).map(Occupant::resources).orElse(Resources.NONE);
    return new NodeState(
            node,
            path,
            machine,
            occupants.without(pod),
            promises,
            used.minus(before),
            promised,
            claims,
            withheld)
        .withholding();
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
            promised.minus(before).plus(share.resources()),
            claims,
            withheld)
        .withholding();
  }

  NodeState unpromisedTo(MemberId pod) {
    Resources before = promises.get(pod).map(Occupant::resources).orElse(Resources.NONE);
    return new NodeState(
            node,
            path,
            machine,
            occupants,
            promises.without(pod),
            used,
            promised.minus(before),
            claims,
            withheld)
        .withholding();
  }

  /// This node with room kept for the gang.
  NodeState claimedBy(GangId gang, Hold.Claim claim) {
    return with(claims.with(gang, claim));
  }

  /// This node without room kept for the gang.
  NodeState unclaimedBy(GangId gang) {
    return with(claims.without(gang));
  }

  private NodeState with(SortedTable<GangId, Hold.Claim> other) {
    return new NodeState(node, path, machine, occupants, promises, used, promised, other, withheld)
        .withholding();
  }

  /// This node with as much withheld as its claims lack and as is there. What a claim lacks is what
  /// it needs beyond that which those will leave whose end it counts on:
  ///
  /// a claim of 8 GPUs that counts on the end of a pod with 6 withholds 2; once the pod has left,
  /// 8.
  private NodeState withholding() {
    if (claims.isEmpty() && withheld.equals(Occupant.NONE)) {
      return this;
    }
    Resources left = unpromised();
    int gpus = unpromisedGpus();
    Occupant sum = Occupant.NONE;
    for (Hold.Claim claim : claims) {
      Occupant due = due(claim);
      Occupant kept = new Occupant(due.resources().upTo(left), Math.min(gpus, due.gpus()));
      left = left.minus(kept.resources());
      gpus -= kept.gpus();
      sum = new Occupant(sum.resources().plus(kept.resources()), sum.gpus() + kept.gpus());
    }
    return new NodeState(node, path, machine, occupants, promises, used, promised, claims, sum);
  }

  private Occupant due(Hold.Claim claim) {
    Resources due = claim.needs().resources();
    int gpus = claim.needs().gpus();
    for (MemberId leaver : claim.leavers()) {
      Optional<Occupant> share = occupants.get(leaver);
      due = share.map(Occupant::resources).map(due::minus).orElse(due);
      gpus -= share.map(Occupant::gpus).orElse(0);
    }
    return new Occupant(due, Math.max(0, gpus));
  }
}
