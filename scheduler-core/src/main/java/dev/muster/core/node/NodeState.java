package dev.muster.core.node;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.FreeGpus;
import dev.muster.core.topology.MachineFamily;
import dev.muster.core.topology.MachineModel;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/// A node with everything that is placed, promised or held on it.
///
/// @param node data that the node states about itself
/// @param path its topology domain
/// @param kind its kind
/// @param machine links between its GPUs, if its labels state the machine
/// @param bound shares of the pods bound to it
/// @param kept shares promised to pods that are not bound yet
/// @param sharedGpus its shared GPUs, used by bound and promised pods
/// @param shares capacity held for gangs that cannot use it yet
/// @param own share of the gang that this image is for; present only if other shares come behind it
/// @param withheld capacity kept free for other gangs now
/// @param free resources that are neither used nor promised nor withheld; negative where devices
///   vanished under their pods
/// @param freeGpus whole GPUs that are neither used nor shared nor promised nor withheld, at least
///   0
/// @param freeCapacity capacity that it offers to new members
public record NodeState(
    Node node,
    DomainPath path,
    NodeKind kind,
    Optional<MachineModel> machine,
    NodeLoad bound,
    NodeLoad kept,
    SharedGpus sharedGpus,
    SortedTable<GangId, Hold.Share> shares,
    Optional<Own> own,
    NodeShare withheld,
    Resources free,
    int freeGpus,
    FreeCapacity freeCapacity) {
  /// A share of a node.
  ///
  /// @param resources its resources
  /// @param gpus whole GPUs among them
  /// @param gpuMilli thousandths of one more GPU, 0 to 999
  public record NodeShare(Resources resources, int gpus, int gpuMilli) {
    /// Creates a share without a fraction of a GPU.
    public NodeShare(Resources resources, int gpus) {
      this(resources, gpus, 0);
    }

    /// The empty share.
    public static final NodeShare NONE = new NodeShare(Resources.NONE, 0);

    /// Returns the share that a member with this request uses.
    public static NodeShare of(Request request) {
      return new NodeShare(request.resources(), request.gpus(), request.gpuMilli());
    }

    /// Returns the sum of two shares, without fractions of GPUs.
    public NodeShare plus(NodeShare other) {
      return new NodeShare(resources.plus(other.resources), gpus + other.gpus);
    }

    NodeShare minus(NodeShare other) {
      return new NodeShare(resources.minus(other.resources), gpus - other.gpus);
    }

    NodeShare upTo(NodeShare limit) {
      return new NodeShare(resources.upTo(limit.resources), Math.min(gpus, limit.gpus));
    }
  }

  /// The hold of the gang that an image is for, on this node.
  ///
  /// The gang takes the capacity that it lacks. Gangs behind it must not take that capacity first.
  ///
  /// @param share the gang's share
  /// @param behind shares that are served after it
  public record Own(Hold.Share share, SortedTable<GangId, Hold.Share> behind) {}

  public static NodeState empty(Node node, DomainPath path) {
    return of(node, path, machine(node)).loaded(NodeLoad.NONE, NodeLoad.NONE, SharedGpus.NONE);
  }

  private static NodeState of(Node node, DomainPath path, Optional<MachineModel> machine) {
    NodeKind kind = NodeKind.of(node, path);
    return new NodeState(
        node,
        path,
        kind,
        machine,
        NodeLoad.NONE,
        NodeLoad.NONE,
        SharedGpus.NONE,
        SortedTable.empty(),
        Optional.empty(),
        NodeShare.NONE,
        Resources.NONE,
        0,
        new FreeCapacity(kind, 0, Resources.NONE, List.of(), machine, FreeGpus.any(0)));
  }

  private NodeState loaded(NodeLoad pods, NodeLoad promised, SharedGpus shared) {
    return loaded(pods, promised, shared, shares, own);
  }

  /// Returns this node without any pod, promise or hold on it.
  public NodeState unloaded() {
    return loaded(
        NodeLoad.NONE, NodeLoad.NONE, SharedGpus.NONE, SortedTable.empty(), Optional.empty());
  }

  /// Returns the node with this load. All free capacity is computed here.
  private NodeState loaded(
      NodeLoad pods,
      NodeLoad promised,
      SharedGpus shared,
      SortedTable<GangId, Hold.Share> claimed,
      Optional<Own> mine) {
    NodeShare left =
        new NodeShare(
            node.allocatable().minus(pods.sum()).minus(promised.sum()),
            Math.max(0, node.gpus() - pods.gpus() - promised.gpus() - shared.gpus()));
    NodeShare sum = ShareBook.withheld(claimed, left, pods, promised);
    if (mine.isPresent()) {
      NodeShare rest = left.minus(sum);
      NodeShare aside = ShareBook.lacking(mine.get().share, pods, promised).upTo(rest);
      sum = sum.plus(ShareBook.withheld(mine.get().behind, rest.minus(aside), pods, promised));
    }
    NodeShare open = left.minus(sum);
    return new NodeState(
        node,
        path,
        kind,
        machine,
        pods,
        promised,
        shared,
        claimed,
        mine,
        sum,
        open.resources,
        open.gpus,
        freeCapacity(open, sharedFree(pods, promised, shared)));
  }

  /// Returns the free capacity, as the existing object if it is equal.
  private FreeCapacity freeCapacity(NodeShare open, List<Integer> sharedFree) {
    FreeCapacity offer =
        new FreeCapacity(kind, open.gpus, open.resources, sharedFree, machine, gpuSet(open.gpus));
    return offer.equals(freeCapacity) ? freeCapacity : offer;
  }

  /// Returns the resources for a share once all pods have ended that it relies on.
  public Resources capacityFor(Hold.Share share) {
    Resources room = unpromised();
    for (MemberId leaver : share.leavers()) {
      room = room.plus(ShareBook.share(leaver, bound, kept).resources);
    }
    return room;
  }

  /// Returns the resources that are neither used nor promised, withheld ones included.
  public Resources unpromised() {
    return free.plus(withheld.resources);
  }

  /// Returns the number of whole GPUs neither used nor promised, withheld ones included.
  public int unpromisedGpus() {
    return freeGpus + withheld.gpus;
  }

  /// Returns this node with this share held for the gang, or with none.
  public NodeState withShare(GangId gang, Optional<Hold.Share> share) {
    return loaded(bound, kept, sharedGpus, shares.update(gang, (_, _) -> share), own);
  }

  /// Returns this node as the owner of a hold may use it.
  ///
  /// Shares of other gangs are withheld first. Then the capacity that the owner lacks is set aside
  /// for it. Finally the gangs behind it withhold from the rest.
  ///
  /// @param behind gangs whose shares are served after the owner's
  public NodeState openedTo(GangId gang, Iterable<GangId> behind) {
    SortedTable<GangId, Hold.Share> before = shares.without(gang);
    SortedTable<GangId, Hold.Share> after = SortedTable.empty();
    for (GangId other : behind) {
      Optional<Hold.Share> share = shares.get(other);
      if (share.isPresent()) {
        before = before.without(other);
        after = after.with(other, share.get());
      }
    }
    SortedTable<GangId, Hold.Share> later = after;
    Optional<Own> mine = shares.get(gang).map(share -> new Own(share, later));
    return loaded(bound, kept, sharedGpus, before, mine.filter(_ -> !later.isEmpty()));
  }

  private static Optional<MachineModel> machine(Node node) {
    return MachineFamily.recognise(node.labels(), node.model().name(), node.gpus());
  }

  public NodeId id() {
    return node.id();
  }

  /// Returns its domain at this depth; the node itself below all levels.
  public DomainPath place(int depth) {
    return depth > path.depth() ? path.child(id().name()) : path.upTo(depth);
  }

  /// Returns the shares of the pods bound to it.
  public SortedTable<MemberId, NodeShare> occupants() {
    return bound.shares();
  }

  /// Returns the shares promised to pods that are not bound yet.
  public SortedTable<MemberId, NodeShare> promises() {
    return kept.shares();
  }

  /// Returns the resources of all promises.
  public Resources promised() {
    return kept.sum();
  }

  /// Returns the free GPUs.
  ///
  /// The indexes that the node states are used only if their number equals the computed one, with
  /// promises counted as used, and if the machine has such GPUs.
  public FreeGpus freeGpuSet() {
    return freeCapacity.gpuSet();
  }

  /// Returns the GPUs that no pod uses, promised and withheld ones included.
  ///
  /// The indexes that the node states are used under the conditions of [#freeGpuSet].
  public FreeGpus unusedGpuSet() {
    return gpuSet(Math.max(0, node.gpus() - bound.gpus() - sharedGpus.gpus()));
  }

  private FreeGpus gpuSet(int count) {
    if (node.freeGpus().isEmpty() || node.freeGpus().get().size() != count) {
      return FreeGpus.any(count);
    }
    SortedSet<Integer> known = node.freeGpus().get();
    boolean fits = machine.isEmpty() || known.headSet(machine.get().gpus()).equals(known);
    return fits ? FreeGpus.of(known) : FreeGpus.any(count);
  }

  public int usedGpus() {
    return bound.gpus();
  }

  public int promisedGpus() {
    return kept.gpus();
  }

  /// Returns the free thousandths of each shared GPU, fewest first.
  ///
  /// The list is empty if more GPUs are in use than exist.
  public List<Integer> sharedFree() {
    return freeCapacity.shared();
  }

  private List<Integer> sharedFree(NodeLoad pods, NodeLoad promised, SharedGpus shared) {
    boolean inDebt = pods.gpus() + promised.gpus() + shared.gpus() > node.gpus();
    return inDebt ? List.of() : shared.free();
  }

  /// Returns the node's mark by its number of free GPUs ([FreeCapacity#mark]).
  public int mark() {
    return FreeCapacity.mark(freeGpus);
  }

  public NodeState with(Node other, DomainPath otherPath) {
    Optional<MachineModel> known = other.equals(node) ? machine : machine(other);
    return of(other, otherPath, known).loaded(bound, kept, sharedGpus, shares, own);
  }

  public NodeState occupiedBy(MemberId pod, NodeShare share) {
    return loaded(bound.with(pod, share), kept, sharedGpus.with(pod, share.gpuMilli));
  }

  /// Returns this node after the pod was bound to the share promised to it.
  public NodeState settledBy(MemberId pod, NodeShare share) {
    NodeLoad pods = bound.with(pod, share);
    NodeLoad promised = kept.without(pod);
    if (!kept.shares().get(pod).equals(Optional.of(share))) {
      return loaded(pods, promised, sharedGpus.with(pod, share.gpuMilli));
    }
    return new NodeState( // the share was promised, so free capacity is unchanged
        node,
        path,
        kind,
        machine,
        pods,
        promised,
        sharedGpus,
        shares,
        own,
        withheld,
        free,
        freeGpus,
        freeCapacity);
  }

  public NodeState leftBy(MemberId pod) {
    int still = kept.shares().get(pod).map(NodeShare::gpuMilli).orElse(0);
    return loaded(bound.without(pod), kept, sharedGpus.with(pod, still));
  }

  /// Returns this node with a promise of the member's request.
  public NodeState promising(Member member) {
    NodeShare share = NodeShare.of(member.request());
    return loaded(
        bound, kept.with(member.id(), share), sharedGpus.with(member.id(), share.gpuMilli));
  }

  /// Returns this node without the pod and without a promise to it.
  public NodeState without(MemberId pod) {
    NodeState left = bound.shares().contains(pod) ? leftBy(pod) : this;
    return kept.shares().contains(pod) ? left.unpromisedTo(pod) : left;
  }

  public NodeState unpromisedTo(MemberId pod) {
    int still = bound.shares().get(pod).map(NodeShare::gpuMilli).orElse(0);
    return loaded(bound, kept.without(pod), sharedGpus.with(pod, still));
  }
}
