package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.Placement;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Reservation recovery restores the reservation that an earlier process recorded for a gang.
///
/// **Goals.** A gang that was starting continues after a restart of Muster.
///
/// **Constraints.** The owner of the gang's object may have written the record. So it gives no more
/// than the nodes can carry and the queue permits.
///
/// **Algorithm.**
///
/// 1. Members are taken in rank order if their recorded node can carry them. The node must also lie
///    in the domain inside which the gang must stay: that of a running member, else that of the
///    first.
/// 2. While these members exceed the quota of the queue, the last one is left out.
/// 3. If too few then remain to start, and none runs yet, the whole record is dropped.
/// 4. Members that are not restored are placed in the gang's next attempt. A gang that runs in part
///    gets the full bind timeout again to start completely, even without any restored promise.
///
/// **Example.** A gang of 4 to 16 members of one GPU has a record of all 16, in a queue limited to
/// 8 GPUs. The first 8 are restored.
final class ReservationRecovery {
  private final Cluster cluster;
  private final Gang gang;
  private final Policies policies;

  private ReservationRecovery(Cluster cluster, Gang gang, Policies policies) {
    this.cluster = cluster;
    this.gang = gang;
    this.policies = policies;
  }

  /// Returns the image with the gang's recorded reservation, as far as it is restored.
  static Cluster of(Cluster cluster, Gang gang, Policies policies) {
    ReservationRecovery work = new ReservationRecovery(cluster, gang, policies);
    SortedTable<MemberId, NodeId> record =
        gang.spec().map(GangSpec::recorded).orElse(SortedTable.empty());
    return record.isEmpty() || !work.mayStart() ? cluster : work.resumed(record);
  }

  /// True if the gang runs in part, or if its queue permits its immediate needs.
  private boolean mayStart() {
    return gang.boundCount() > 0 || policies.quota().veto(cluster, gang).isEmpty();
  }

  private Cluster resumed(SortedTable<MemberId, NodeId> record) {
    List<Assignment> borne = borne(record);
    List<Assignment> allowed = allowed(borne);
    boolean tooFew = allowed.size() < borne.size() && allowed.size() < cluster.lacking(gang);
    return gang.boundCount() == 0 && tooFew ? cluster : with(allowed);
  }

  /// Returns the recorded assignments that the nodes can carry.
  private List<Assignment> borne(SortedTable<MemberId, NodeId> record) {
    List<Assignment> borne = new ArrayList<>();
    Map<NodeId, NodeState> changed = new TreeMap<>();
    int required = cluster.topology().requiredDepth(gang.constraints().topology().required());
    Optional<DomainPath> home = home(required);
    for (Member member : gang.waiting()) {
      Optional<NodeState> node =
          record
              .get(member.id())
              .flatMap(
                  id -> Optional.ofNullable(changed.get(id)).or(() -> cluster.nodes().get(id)));
      Optional<DomainPath> place = node.map(found -> found.place(required));
      boolean there = place.isPresent() && place.equals(home.or(() -> place));
      if (there && bears(cluster, node.get().promising(member), gang.id(), member.id())) {
        borne.add(new Assignment(member, node.get().id()));
        home = place;
        changed.put(node.get().id(), node.get().promising(member));
      }
    }
    return borne;
  }

  /// Returns the domain of this depth in which the gang's members run.
  private Optional<DomainPath> home(int depth) {
    return gang.bound().stream()
        .flatMap(mate -> mate.node().flatMap(cluster.nodes()::get).stream())
        .map(node -> node.place(depth))
        .findFirst();
  }

  private Promise kept(Assignment assignment) {
    return Promise.keep(assignment.member().id(), assignment.node(), cluster.now());
  }

  /// Returns the first ones of these assignments, as many as the queue permits. With each further
  /// one it is charged for more, so their number is bisected.
  private List<Assignment> allowed(List<Assignment> all) {
    int most = all.size();
    for (int least = 0, tried = most; least < most; tried = (least + most + 1) / 2) {
      if (isTooMuch(all.subList(0, tried))) {
        most = tried - 1;
      } else {
        least = tried;
      }
    }
    return all.subList(0, most);
  }

  private boolean isTooMuch(List<Assignment> promised) {
    Placement placement = new Placement(promised, DomainPath.ROOT);
    return policies.quota().veto(cluster, gang, placement).isPresent();
  }

  /// Returns the image with these promises. An empty reservation is added only if the gang runs in
  /// part.
  private Cluster with(List<Assignment> promised) {
    Reservation reservation = policies.reservation(gang.id(), cluster.now());
    for (Assignment assignment : promised) {
      reservation = reservation.with(kept(assignment));
    }
    boolean half = gang.boundCount() > 0 && !PendingMembers.isWhole(gang);
    Reservation restored =
        gang.past().ranWith().isPresent() ? reservation.ofRunning() : reservation;
    return half || !promised.isEmpty()
        ? cluster.with(restored.as(Written.DONE, cluster.now()))
        : cluster;
  }

  /// True if the node can carry the pod that is promised to it.
  static boolean bears(Cluster cluster, NodeState state, GangId id, MemberId pod) {
    Gang gang = cluster.gang(id);
    Member member = gang.members().get(pod).orElseThrow();
    if (gang.spec().isEmpty()) {
      return true;
    }
    MemberRequirements ask =
        MemberRequirements.of(member.request(), gang.constraints(), cluster.topology());
    return LastingRules.veto(ask, state.node()).isEmpty()
        && hasGpus(state)
        && state.free().plus(member.request().resources()).covers(member.request().resources());
  }

  /// True if the promised GPUs exist. Shares of GPUs are no resources that Kubernetes counts.
  private static boolean hasGpus(NodeState state) {
    int taken = state.usedGpus() + state.promisedGpus() + state.sharedGpus().gpus();
    return taken <= state.node().gpus();
  }
}
