package dev.muster.core.fit;

import dev.muster.core.budget.SpentBudget;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.node.AvoidedNodes;
import dev.muster.core.node.GpuModel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A reason to refuse a placement. This file lists every reason: first those of a node, then those
/// of a gang, then those of a queue.
public sealed interface Veto {
  /// Returns the change that can lift this veto. Every veto is in exactly one line of this table.
  default Remedy remedy() {
    return switch (this) {
      case Cordoned _,
          Faulty _,
          Tainted _,
          NotSelected _,
          Unselected _,
          WrongModel _,
          NotWholeGpus _,
          Unlabelled _,
          NodeTooSmall _,
          MateOnNode _,
          UnknownLevel _,
          NoMatchingNodes _,
          SlicesTooWide _,
          TooBig _,
          TooBigForModels _,
          NeverFits _,
          MatesApart _,
          UnknownQueue _,
          QueueForbidden _,
          TooBigForQueue _ ->
          Remedy.NEVER;
      case TooLittleFree _,
          NotEnoughFree _,
          NoDomainHolds _,
          NoModelHolds _,
          NoModelInDomainHolds _,
          Fragmented _,
          MatesLeaving _,
          TooFewPlaces _,
          TooFewSlices _,
          NotTogether _ ->
          Remedy.EVICTION;
      case Promised _, NotBoundInTime _, WouldDelay _ -> Remedy.RELEASE;
      case RefusedBefore _, PlacesAvoided _, RecordRefused _, StartRefused _, BudgetSpent _ ->
          Remedy.TIME;
      case OverQuota _ -> Remedy.QUOTA;
      case NoPodGroup _, Unreadable _, TooFewMembers _, GatheringTimedOut _ -> Remedy.MEMBERS;
    };
  }

  /// True if no capacity that becomes free lets the gang start. Then it asks for none.
  default boolean isHopeless() {
    return remedy() == Remedy.NEVER || this instanceof BudgetSpent;
  }

  // ---- A node refuses a member ----

  /// The node is marked unschedulable.
  record Cordoned() implements Veto {}

  /// The node is not ready, or a fault condition on it is true.
  record Faulty(String fault) implements Veto {}

  /// The pod does not tolerate the node's taint.
  record Tainted(Taint taint) implements Veto {}

  /// The pod's node selector or required node affinity excludes the node.
  record NotSelected(String requirement) implements Veto {}

  /// As [NotSelected], while a search goes on. Many nodes refuse a pod so, and few of these vetoes
  /// are shown, so the text is made for those.
  ///
  /// @param unmet index of the first condition that must hold and does not; their number if none of
  ///   the alternatives holds
  record Unselected(NodeSelection selection, int unmet) implements Veto {
    /// Returns the condition as text, of bounded length.
    public String requirement() {
      return unmet < selection.all().size()
          ? selection.all().get(unmet).shown()
          : "the required node affinity " + selection.shownAlternatives();
    }
  }

  /// The gang does not accept the node's GPU model.
  record WrongModel(List<String> asked, String found) implements Veto {}

  /// The node's GPUs are slices or shares, and the pod does not ask for these.
  record NotWholeGpus(GpuModel.Kind kind) implements Veto {}

  /// The node lacks the label of the level that the gang requires.
  record Unlabelled(String label) implements Veto {}

  /// The node has less than one member needs, even when empty.
  record NodeTooSmall(String resource, long asked, long has) implements Veto {}

  /// The free capacity of the node is too small.
  record TooLittleFree(String resource, long asked, long free) implements Veto {}

  /// The member would fit without the node's promises to other gangs.
  record Promised(String resource, long asked, long free) implements Veto {}

  /// Another member with `onePerNode` is on the node.
  record MateOnNode() implements Veto {}

  /// Members of the gang recently failed on the node. kube-scheduler refused them for volumes,
  /// ports or pod affinity, the kubelet rejected them, or they died early.
  record RefusedBefore() implements Veto {}

  // ---- The gang as a whole is refused ----

  /// Pods name a group that does not exist.
  record NoPodGroup(int pods) implements Veto {}

  /// The PodGroup, or a single pod, has invalid fields, labels or annotations.
  ///
  /// @param mistakes all of them; absent if an Event on the object names them
  record Unreadable(Optional<String> mistakes) implements Veto {}

  /// Too few members exist. Members held by a gate of another controller are counted separately.
  record TooFewMembers(int present, int minCount, int heldByOthers) implements Veto {}

  /// Too few members existed at the end of the time limit.
  record GatheringTimedOut(int present, int minCount, Duration after) implements Veto {}

  /// The gang names a topology level that the configuration does not have.
  record UnknownLevel(String level, List<String> known) implements Veto {}

  /// The level of slices is wider than the level that must contain the whole gang.
  ///
  /// @param level the level of slices
  /// @param required the level of the whole gang
  /// @param narrower the levels that slices may have
  record SlicesTooWide(String level, String required, List<String> narrower) implements Veto {}

  /// No node would take a member, even when empty.
  ///
  /// @param nodes number of nodes of the cluster
  /// @param tally number of nodes that refused, by kind of veto
  record NoMatchingNodes(int nodes, SortedTable<String, Count> tally) implements Veto {}

  /// No node takes a member now. Some would take one each, but an earlier pod of the gang still
  /// terminates there, and both want a node without the other.
  ///
  /// @param leaving number of these nodes
  /// @param nodes number of nodes of the cluster
  record MatesLeaving(int leaving, int nodes) implements Veto {}

  /// The matching nodes of each required domain have too few GPUs, even when empty.
  ///
  /// @param level the level at which the gang must stay together; `cluster` if there is none
  /// @param asked GPUs requested
  /// @param largest GPUs of the largest such domain
  record TooBig(String level, long asked, long largest) implements Veto {}

  /// The matching nodes have too few GPUs of each single model, even when empty. The gang accepts
  /// one model for all its members.
  ///
  /// @param level the level at which the gang must stay together; `cluster` if there is none
  /// @param best the model with the most GPUs in such a domain
  /// @param asked GPUs requested
  /// @param largest GPUs of that model in that domain
  record TooBigForModels(String level, String best, long asked, long largest) implements Veto {}

  /// The gang finds no place even if it is alone on the cluster.
  ///
  /// @param whenEmpty the reason of the search there
  record NeverFits(Veto whenEmpty) implements Veto {}

  /// Placed members are not inside one domain of the required level, as nodes have changed labels
  /// since.
  ///
  /// @param level the required level
  record MatesApart(String level) implements Veto {}

  /// The cluster has less free capacity than the gang needs.
  ///
  /// @param resource the resource in short supply
  /// @param asked amount that the gang needs in total
  /// @param free free amount on the matching nodes
  record NotEnoughFree(String resource, long asked, long free) implements Veto {}

  /// Enough GPUs are free, but not in one domain of the required level.
  ///
  /// @param level the required level
  /// @param best the domain with the most free GPUs
  /// @param asked GPUs requested
  /// @param free GPUs free in the best domain
  record NoDomainHolds(String level, String best, long asked, long free) implements Veto {}

  /// Enough GPUs are free, but not of one model. The gang accepts one model for all its members.
  ///
  /// @param best the model with the most free GPUs
  /// @param asked GPUs requested
  /// @param free free GPUs of that model on matching nodes
  record NoModelHolds(String best, long asked, long free) implements Veto {}

  /// Enough GPUs are free, but not of one model in one domain of the required level.
  ///
  /// @param level the required level
  /// @param best the domain with the most free GPUs of one model
  /// @param model that model
  /// @param asked GPUs requested
  /// @param free free GPUs of that model in that domain
  record NoModelInDomainHolds(String level, String best, String model, long asked, long free)
      implements Veto {}

  /// The nodes, domains and models to which a search is confined, with the best choice among them.
  ///
  /// @param level the level at which the members must stay together; `cluster` if there is none
  /// @param best the domain of that level with the most places; empty without a level
  /// @param model the model with the most places; empty if members may get any model
  /// @param joins whether other members are in that domain, so no other will do
  /// @param begun whether other members run on that model, so no other will do
  record Confines(String level, String best, String model, boolean joins, boolean begun) {}

  /// Equal members that need places, each on one node.
  ///
  /// @param members number of members
  /// @param gpus GPUs of each
  /// @param gpuMilli thousandths of one more GPU, of which each needs a share
  /// @param other other resources of each, as far as they make places too few
  /// @param alone whether each needs a node without another such member
  record Seats(int members, int gpus, int gpuMilli, Resources other, boolean alone) {}

  /// Enough is free in sum, but on single nodes there are too few places for equal members.
  ///
  /// @param seats the members
  /// @param where where they may be
  /// @param places number of members that fit there
  record TooFewPlaces(Seats seats, Confines where, long places) implements Veto {}

  /// There are places for the members, but not for all slices inside domains of their level.
  ///
  /// @param slices number of slices
  /// @param level level of which one domain must contain a slice
  /// @param seats the members of a full slice
  /// @param where where all slices may be
  /// @param fitting number of slices that fit there
  record TooFewSlices(int slices, String level, Seats seats, Confines where, long fitting)
      implements Veto {}

  /// Each kind of member finds its places alone, but no place was found for all members together.
  ///
  /// @param members number of members
  /// @param kinds number of kinds
  /// @param level the level at which the members must stay together; `cluster` if there is none
  /// @param proven whether all combinations were ruled out
  record NotTogether(int members, int kinds, String level, boolean proven) implements Veto {}

  /// Enough GPUs are free, but too scattered: the members do not fit in the free capacity of the
  /// nodes.
  ///
  /// @param members number of members that need a node
  /// @param gpusEach GPUs of the largest member
  /// @param free free GPUs on the matching nodes
  /// @param nodes number of nodes with these free GPUs
  /// @param largest the most free GPUs on one of them
  record Fragmented(int members, int gpusEach, long free, int nodes, long largest)
      implements Veto {}

  /// The gang would fit only in capacity kept for a gang before it. That gang has a planned start
  /// there, keeps all capacity that becomes free there, or lost a member there.
  ///
  /// @param planned the gang before it
  /// @param start planned start of that gang; absent if the capacity is kept for another reason
  record WouldDelay(GangId planned, Optional<Instant> start) implements Veto {}

  /// The gang would fit, but only with nodes on which its members recently failed.
  ///
  /// @param nodes number of nodes that it avoids
  /// @param first node that it may use again first
  /// @param cause cause of the failure there
  /// @param until time from which it may use this node again
  /// @param message reasons of kube-scheduler, if it refused a member
  record PlacesAvoided(
      int nodes, NodeId first, AvoidedNodes.Cause cause, Instant until, Optional<String> message)
      implements Veto {}

  // ---- The queue refuses ----

  /// The gang names a queue that the configuration does not have.
  record UnknownQueue(String queue, List<String> known) implements Veto {}

  /// The queue does not accept gangs of this namespace.
  record QueueForbidden(String queue, String namespace) implements Veto {}

  /// The gang requests more than its queue may ever use.
  ///
  /// @param queue the queue
  /// @param model the limited GPU model; empty if GPUs of all models are counted
  /// @param asked GPUs requested
  /// @param max GPUs that the queue may use at most
  record TooBigForQueue(String queue, String model, long asked, long max) implements Veto {}

  /// The gang would take its queue beyond the GPUs that it may use now. This limit is the queue's
  /// maximum, or its guarantee while other queues claim theirs.
  ///
  /// @param queue the queue
  /// @param model the limited GPU model; empty if GPUs of all models are counted
  /// @param asked GPUs requested
  /// @param used GPUs that gangs of the queue use or are promised
  /// @param limit GPUs that the queue may use now
  record OverQuota(String queue, String model, long asked, long used, long limit) implements Veto {}

  /// A budget of the gang's queue or project is used up. Running gangs go on.
  record BudgetSpent(SpentBudget budget) implements Veto {}

  /// The members were not bound in time, and there was no other place.
  ///
  /// @param refusal what kube-scheduler said about the first unbound member, if it said anything
  record NotBoundInTime(Duration after, int bound, int minCount, Optional<Refusal> refusal)
      implements Veto {}

  /// The gang's object takes no record of its places, so the gang is not started.
  ///
  /// @param problem words of the API server
  /// @param again time from which it is tried again
  record RecordRefused(String problem, Instant again) implements Veto {}

  /// The API server refuses the start switch of the gang, so none of its pods can start.
  ///
  /// @param problem words of the API server
  /// @param again time from which it is tried again
  record StartRefused(String problem, Instant again) implements Veto {}

  /// What kube-scheduler said about a pod that was to start on a node.
  record Refusal(MemberId pod, NodeId node, String message) {}

  /// The number of nodes that refused, and the veto of one of them as an example.
  record Count(int nodes, Veto example) {}
}
