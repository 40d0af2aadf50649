package dev.muster.core.fit;

import dev.muster.core.cluster.GpuModel;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Taint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Why not. Read this file to learn every way to be refused: first by a node, then as a gang.
public sealed interface Veto {
  /// What would change this veto's mind: every veto stands in exactly one line of this table.
  default Remedy remedy() {
    return switch (this) {
      case Cordoned _,
          Faulty _,
          Tainted _,
          NotSelected _,
          WrongModel _,
          NotWholeGpus _,
          Unlabelled _,
          NodeTooSmall _,
          MateOnNode _,
          UnknownLevel _,
          NoMatchingNodes _,
          TooBig _,
          TooBigForModels _,
          MatesApart _,
          UnknownQueue _,
          QueueForbidden _,
          TooBigForQueue _ ->
          Remedy.NEVER;
      case TooLittleFree _, NotEnoughFree _, NoDomainHolds _, NoModelHolds _, Fragmented _ ->
          Remedy.EVICTION;
      case Promised _, RefusedBefore _, NotBoundInTime _, WouldDelay _ -> Remedy.RELEASE;
      case OverQuota _ -> Remedy.QUOTA;
      case NoPodGroup _, Unreadable _, TooFewMembers _, GatheringTimedOut _ -> Remedy.MEMBERS;
    };
  }

  // ---- A node refuses a member ----

  /// The node is marked unschedulable.
  record Cordoned() implements Veto {}

  /// The node is not ready, or a fault condition is true on it.
  record Faulty(String fault) implements Veto {}

  /// The pod does not tolerate the node's taint.
  record Tainted(Taint taint) implements Veto {}

  /// The pod's node selector or required node affinity excludes the node.
  record NotSelected(String requirement) implements Veto {}

  /// The gang takes other GPU models.
  record WrongModel(List<String> asked, String found) implements Veto {}

  /// What the node counts as GPUs are slices or shares, and nobody asked for those.
  record NotWholeGpus(GpuModel.Kind kind) implements Veto {}

  /// The node lacks the label of the level that the gang requires.
  record Unlabelled(String label) implements Veto {}

  /// Even empty, the node has less than one member needs.
  record NodeTooSmall(String resource, long asked, long has) implements Veto {}

  /// Too little is free on the node.
  record TooLittleFree(String resource, long asked, long free) implements Veto {}

  /// It would fit but for what the node promised to others.
  record Promised(String resource, long asked, long free) implements Veto {}

  /// A mate that also wants a node to itself is on the node.
  record MateOnNode() implements Veto {}

  /// kube-scheduler refused this pod here for a reason that only it knows: volumes, ports, pod
  /// affinity.
  record RefusedBefore() implements Veto {}

  // ---- The gang as a whole is refused ----

  /// Pods name a group that does not exist.
  record NoPodGroup(int pods) implements Veto {}

  /// What a lone pod wishes for makes no sense; whoever read it has told the pod what.
  record Unreadable() implements Veto {}

  /// Too few members exist. Members that somebody else's gate holds are listed apart.
  record TooFewMembers(int present, int minCount, int heldByOthers) implements Veto {}

  /// Too few members came in the time that was set for it.
  record GatheringTimedOut(int present, int minCount, Duration after) implements Veto {}

  /// The gang names a topology level that the configuration does not know.
  record UnknownLevel(String level, List<String> known) implements Veto {}

  /// No node would take a member, however empty it was.
  ///
  /// @param nodes how many nodes there are
  /// @param tally how many nodes refused for which reason, by kind of veto
  record NoMatchingNodes(int nodes, SortedTable<String, Count> tally) implements Veto {}

  /// The nodes that would take it have, even empty, too little in one required domain.
  ///
  /// @param level the level at which the gang must stay together; `cluster` when it need not
  /// @param asked GPUs asked for
  /// @param largest GPUs of the largest such domain
  record TooBig(String level, long asked, long largest) implements Veto {}

  /// The nodes that would take it have, even empty, too few GPUs of each one model, and the gang
  /// takes one for all its members.
  ///
  /// @param level the level at which the gang must stay together; `cluster` when it need not
  /// @param best the model with the most in such a domain
  /// @param asked GPUs asked for
  /// @param largest GPUs of that model there
  record TooBigForModels(String level, String best, long asked, long largest) implements Veto {}

  /// Members that have places are not in one domain of the level that the gang requires: nodes got
  /// other labels since.
  ///
  /// @param level the level
  record MatesApart(String level) implements Veto {}

  /// Less is free in all than the gang needs.
  ///
  /// @param resource what is short
  /// @param asked how much the gang needs in all
  /// @param free how much is free on the nodes that would take it
  record NotEnoughFree(String resource, long asked, long free) implements Veto {}

  /// Enough GPUs are free, but not in one domain of the level that the gang requires.
  ///
  /// @param level the level
  /// @param best the domain with the most free
  /// @param asked GPUs asked for
  /// @param free GPUs free in the best domain
  record NoDomainHolds(String level, String best, long asked, long free) implements Veto {}

  /// Enough GPUs are free, but of several models, and the gang takes one for all its members.
  ///
  /// @param best the model with the most free
  /// @param asked GPUs asked for
  /// @param free GPUs of that model that are free on nodes that would take a member
  record NoModelHolds(String best, long asked, long free) implements Veto {}

  /// Enough is free, but scattered: the members do not fit in the pieces.
  ///
  /// @param members how many members want a node
  /// @param gpusEach GPUs of the largest member
  /// @param free free GPUs on the nodes that would take it
  /// @param nodes on how many nodes they are
  /// @param largest the most that is free on one of them
  record Fragmented(int members, int gpusEach, long free, int nodes, long largest)
      implements Veto {}

  /// It would fit, but only in room that is kept for a gang before it: one whose start is planned
  /// there, one for which whatever comes free there is kept, or one that lost a member there.
  ///
  /// @param planned the gang before it
  /// @param start when that is planned to start; absent when its room is kept for another reason
  record WouldDelay(GangId planned, Optional<Instant> start) implements Veto {}

  // ---- The queue refuses ----

  /// The gang names a queue that the configuration does not know.
  record UnknownQueue(String queue, List<String> known) implements Veto {}

  /// The queue does not take gangs of this namespace.
  record QueueForbidden(String queue, String namespace) implements Veto {}

  /// The gang asks for more than its queue may ever use.
  ///
  /// @param queue the queue
  /// @param model the GPU model that is limited; empty when GPUs of all models are counted
  /// @param asked GPUs asked for
  /// @param max GPUs that the queue may use at most
  record TooBigForQueue(String queue, String model, long asked, long max) implements Veto {}

  /// The queue uses so much that the gang would take it beyond what it may use now: its maximum, or
  /// its guarantee while others claim theirs.
  ///
  /// @param queue the queue
  /// @param model the GPU model that is limited; empty when GPUs of all models are counted
  /// @param asked GPUs asked for
  /// @param used GPUs that gangs of the queue use or are promised
  /// @param limit GPUs that the queue may use now
  record OverQuota(String queue, String model, long asked, long used, long limit) implements Veto {}

  /// The reservation did not come to pass in time, and no other place was found.
  record NotBoundInTime(Duration after, int bound, int minCount) implements Veto {}

  /// How many nodes said so, and one of them for an example.
  record Count(int nodes, Veto example) {}
}
