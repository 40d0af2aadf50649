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

/// A node with all that is on it.
///
/// @param node what it says of itself
/// @param path the topology domain it lies in
/// @param kind the nodes that are like it
/// @param machine how its GPUs are joined, if its labels tell
/// @param bound what the pods bound to it take
/// @param kept what is promised on it to pods not bound yet
/// @param sharing which of its GPUs are shared, by pods of both sorts
/// @param claims what gangs that cannot use it yet are to find here
/// @param own in what a gang with a claim here may use: that claim, if others come behind it
/// @param withheld what is kept free for others than that gang now
/// @param free what is neither used nor promised nor withheld; negative where devices vanished
///   under their pods
/// @param freeGpus whole GPUs that nobody uses, shares, was promised or waits for, at least 0
/// @param vacancy what it offers
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
    Occupant withheld,
    Resources free,
    int freeGpus,
    FreeCapacity freeCapacity) {
  /// A share of a node.
  ///
  /// @param resources what is taken
  /// @param gpus how many whole GPUs are among them
  /// @param gpuMilli thousandths of one more GPU, 0 to 999
  public record Occupant(Resources resources, int gpus, int gpuMilli) {
    /// A share without part of a GPU.
    public Occupant(Resources resources, int gpus) {
      this(resources, gpus, 0);
    }

    /// Nothing.
    public static final Occupant NONE = new Occupant(Resources.NONE, 0);

    /// What a member takes.
    public static Occupant of(Request request) {
      return new Occupant(request.resources(), request.gpus(), request.gpuMilli());
    }

    /// What both take of whole GPUs and other resources.
    public Occupant plus(Occupant other) {
      return new Occupant(resources.plus(other.resources), gpus + other.gpus);
    }

    Occupant minus(Occupant other) {
      return new Occupant(resources.minus(other.resources), gpus - other.gpus);
    }

    Occupant upTo(Occupant limit) {
      return new Occupant(resources.upTo(limit.resources), Math.min(gpus, limit.gpus));
    }
  }

  /// The claim of the gang whose image it is. It takes what it lacks itself, but others are not to
  /// take that before it.
  ///
  /// @param claim what it claims
  /// @param behind the claims that are served after it
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
        Occupant.NONE,
        Resources.NONE,
        0,
        new FreeCapacity(kind, 0, Resources.NONE, List.of(), machine, FreeGpus.any(0)));
  }

  private NodeState loaded(NodeLoad pods, NodeLoad promised, SharedGpus shared) {
    return loaded(pods, promised, shared, shares, own);
  }

  /// The node with this on it: the one place where what is free is worked out.
  private NodeState loaded(
      NodeLoad pods,
      NodeLoad promised,
      SharedGpus shared,
      SortedTable<GangId, Hold.Share> claimed,
      Optional<Own> mine) {
    Occupant left =
        new Occupant(
            node.allocatable().minus(pods.sum()).minus(promised.sum()),
            Math.max(0, node.gpus() - pods.gpus() - promised.gpus() - shared.gpus()));
    Occupant sum = ShareBook.withheld(claimed, left, pods, promised);
    if (mine.isPresent()) {
      Occupant rest = left.minus(sum);
      Occupant aside = ShareBook.lacking(mine.get().share, pods, promised).upTo(rest);
      sum = sum.plus(ShareBook.withheld(mine.get().behind, rest.minus(aside), pods, promised));
    }
    Occupant open = left.minus(sum);
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

  /// What it offers with so much free; the very same as before if that is no other.
  private FreeCapacity freeCapacity(Occupant open, List<Integer> sharedFree) {
    FreeCapacity offer =
        new FreeCapacity(kind, open.gpus, open.resources, sharedFree, machine, gpuSet(open.gpus));
    return offer.equals(freeCapacity) ? freeCapacity : offer;
  }

  /// What there will be for the claim once those have left whose end it counts on.
  public Resources roomFor(Hold.Share share) {
    Resources room = unpromised();
    for (MemberId leaver : share.leavers()) {
      room = room.plus(ShareBook.share(leaver, bound, kept).resources);
    }
    return room;
  }

  /// What is neither used nor promised, whomever it is withheld for.
  public Resources unpromised() {
    return free.plus(withheld.resources);
  }

  /// Whole GPUs neither used nor promised, whomever they are withheld for.
  public int unpromisedGpus() {
    return freeGpus + withheld.gpus;
  }

  /// This node with this kept for the gang, or nothing.
  public NodeState claimedBy(GangId gang, Optional<Hold.Share> share) {
    return loaded(bound, kept, sharedGpus, shares.update(gang, (_, _) -> share), own);
  }

  /// This node as the gang may use it, if these claims come behind its own: the others withhold
  /// first, then what it lacks is set aside for it, and those behind it withhold from the rest.
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

  /// The domain of a depth in which it lies; the node itself below all levels.
  public DomainPath place(int depth) {
    return depth > path.depth() ? path.child(id().name()) : path.upTo(depth);
  }

  /// What each pod bound to it takes.
  public SortedTable<MemberId, Occupant> occupants() {
    return bound.shares();
  }

  /// What is promised on it to each pod not bound yet.
  public SortedTable<MemberId, Occupant> promises() {
    return kept.shares();
  }

  /// The resources of all promises.
  public Resources promised() {
    return kept.sum();
  }

  /// Which GPUs are free. What the node is said to have free is believed while it is as many as the
  /// books say, promises counted as taken, and the machine has such GPUs.
  public FreeGpus freeGpuSet() {
    return freeCapacity.gpuSet();
  }

  /// Which GPUs no pod uses, promised and withheld ones among them; believed likewise.
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

  /// Thousandths free on each shared GPU, fewest first; none where more GPUs are in use than there
  /// are.
  public List<Integer> sharedFree() {
    return freeCapacity.shared();
  }

  private List<Integer> sharedFree(NodeLoad pods, NodeLoad promised, SharedGpus shared) {
    boolean inDebt = pods.gpus() + promised.gpus() + shared.gpus() > node.gpus();
    return inDebt ? List.of() : shared.free();
  }

  /// Its mark among nodes by the number of free GPUs: [FreeCapacity#mark].
  public int mark() {
    return FreeCapacity.mark(freeGpus);
  }

  public NodeState with(Node other, DomainPath otherPath) {
    Optional<MachineModel> known = other.equals(node) ? machine : machine(other);
    return of(other, otherPath, known).loaded(bound, kept, sharedGpus, shares, own);
  }

  public NodeState occupiedBy(MemberId pod, Occupant share) {
    return loaded(bound.with(pod, share), kept, sharedGpus.with(pod, share.gpuMilli));
  }

  /// This node with the pod on it to which its share was promised.
  public NodeState settledBy(MemberId pod, Occupant share) {
    NodeLoad pods = bound.with(pod, share);
    NodeLoad promised = kept.without(pod);
    if (!kept.shares().get(pod).equals(Optional.of(share))) {
      return loaded(pods, promised, sharedGpus.with(pod, share.gpuMilli));
    }
    return new NodeState( // it has what it was promised: nothing else is free now
        node, path, kind, machine, pods, promised, sharedGpus, shares, own, withheld, free, freeGpus,
        freeCapacity);
  }

  public NodeState leftBy(MemberId pod) {
    int still = kept.shares().get(pod).map(Occupant::gpuMilli).orElse(0);
    return loaded(bound.without(pod), kept, sharedGpus.with(pod, still));
  }

  /// This node with what the member needs promised to it.
  public NodeState promising(Member member) {
    Occupant share = Occupant.of(member.request());
    return loaded(bound, kept.with(member.id(), share), sharedGpus.with(member.id(), share.gpuMilli));
  }

  /// This node without the pod and without a promise to it.
  public NodeState without(MemberId pod) {
    NodeState left = bound.shares().contains(pod) ? leftBy(pod) : this;
    return kept.shares().contains(pod) ? left.unpromisedTo(pod) : left;
  }

  public NodeState unpromisedTo(MemberId pod) {
    int still = bound.shares().get(pod).map(Occupant::gpuMilli).orElse(0);
    return loaded(bound, kept.without(pod), sharedGpus.with(pod, still));
  }
}
