package dev.muster.simulator.run.engine;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.simulator.run.JobProgress;
import dev.muster.simulator.trace.TraceJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// A job as the scheduler sees it: a PodGroup and its pods.
final class SimGang {
  private static final MemberState HELD = new MemberState.Held(false);
  private static final MemberState ENDED = new MemberState.Ended(true);

  final int index;
  final TraceJob job;
  final GangId id;
  private final GangSpec spec;
  private final Member[] members;
  private int bound;
  private int pods;

  final JobProgress progress;

  SimGang(int index, TraceJob job, Instant submitted) {
    this.index = index;
    this.job = job;
    this.progress = new JobProgress(job.runMillis());
    String queue = queue(job);
    this.id = new GangId(queue, GangId.Origin.POD_GROUP, job.id());
    this.spec =
        new GangSpec(
            id,
            job.minWorkers(),
            Optional.empty(),
            queue,
            Optional.of(job.priority()),
            job.constraints(),
            Optional.empty(),
            job.lineage(),
            submitted,
            SortedTable.empty(),
            Collections.emptySortedMap(),
            PreemptionRecord.NONE,
            Optional.empty());
    this.members = new Member[job.workers()];
    for (int rank = 0; rank < members.length; rank++) {
      members[rank] = pod(rank, submitted);
    }
  }

  /// Returns the name of the job's queue for the scheduler.
  static String queue(TraceJob job) {
    return job.queue().isEmpty() ? "default" : job.queue();
  }

  private Member pod(int rank, Instant created) {
    String name = members.length == 1 ? job.id() : job.id() + "-" + rank;
    String uid = index + "-" + pods++; // names of pods of jobs a and a-0 may be equal
    MemberId pod = new MemberId(id.namespace(), name, uid);
    return new Member(
        pod, id, rank, job.priority(), job.request(), GangConstraints.NONE, HELD, created);
  }

  int bound() {
    return bound;
  }

  /// Creates the job's objects, without the last `missing` pods. Pods beyond the minimum follow one
  /// by one, since they join a gang that runs.
  List<Event> arrival(Instant at, int missing) {
    int present = members.length - missing;
    int first = Math.min(job.minWorkers(), present);
    List<Event.GangFact> whole = new ArrayList<>(first + 1);
    whole.add(new Event.GangSeen(at, spec));
    for (int rank = 0; rank < first; rank++) {
      whole.add(new Event.MemberSeen(at, members[rank]));
    }
    List<Event> events = new ArrayList<>(1);
    events.add(new Event.GangChanged(at, id, whole));
    for (int rank = first; rank < present; rank++) {
      events.add(new Event.MemberSeen(at, members[rank]));
    }
    return events;
  }

  /// Creates the last pods, which [#arrival] left out.
  List<Event> create(int missing, Instant at) {
    List<Event> events = new ArrayList<>(missing);
    for (int rank = members.length - missing; rank < members.length; rank++) {
      members[rank] = pod(rank, at);
      events.add(new Event.MemberSeen(at, members[rank]));
    }
    return events;
  }

  /// Returns the rank of the pod; -1 if it is not one of the current pods.
  int rank(MemberId pod) {
    for (int rank = 0; rank < members.length; rank++) {
      if (members[rank].id().equals(pod)) {
        return rank;
      }
    }
    return -1;
  }

  boolean isBound(int rank) {
    return members[rank].isBound();
  }

  /// Returns the node of a bound member.
  Optional<NodeId> node(int rank) {
    return members[rank].node();
  }

  /// Binds the pod.
  Event.GangFact bind(int rank, NodeId node, Instant at) {
    members[rank] = members[rank].as(new MemberState.Bound(node, at));
    bound++;
    return new Event.MemberSeen(at, members[rank]);
  }

  /// Returns the nodes of the bound members, one entry for each member.
  List<NodeId> nodes() {
    List<NodeId> nodes = new ArrayList<>();
    for (Member member : members) {
      Optional<NodeId> node = member.node();
      if (node.isPresent()) {
        nodes.add(node.get());
      }
    }
    return nodes;
  }

  int size() {
    return members.length;
  }

  /// Removes the pod, and creates its replacement as the job's controller does.
  List<Event> replace(int rank, Instant at) {
    Member old = members[rank];
    bound -= old.isBound() ? 1 : 0;
    members[rank] = pod(rank, at);
    return List.of(new Event.MemberGone(at, id, old.id()), new Event.MemberSeen(at, members[rank]));
  }

  /// Ends all pods and deletes the gang. Pods of a lineage are reported as succeeded, since the
  /// scheduler learns from them the run time of such work.
  Event end(Instant at) {
    List<Event.GangFact> facts = new ArrayList<>(2 * members.length + 1);
    if (!job.lineage().isEmpty()) {
      for (Member member : members) {
        facts.add(new Event.MemberSeen(at, member.as(ENDED)));
      }
    }
    facts.add(new Event.GangGone(at, id));
    for (Member member : members) {
      facts.add(new Event.MemberGone(at, id, member.id()));
    }
    return new Event.GangChanged(at, id, facts);
  }
}
