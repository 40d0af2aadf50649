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
import java.util.Optional;

/// Takes up the reservation that an earlier run of ours wrote down for a gang.
///
/// **Goals.** A gang that was starting goes on where it was.
///
/// **Constraints.** Whoever owns the gang's object may have written the record: it gives no more
/// than the nodes bear and the queue may have.
///
/// **Algorithm.** Members in rank order, as far as the nodes recorded for them bear them and lie in
/// the domain inside which the gang must stay, that of the first if none runs; while these would be
/// too many for the queue, the last of them is left out. If too few are left then to start, and
/// none runs yet, the whole record is forgotten. What is not taken up is planned anew by the gang's
/// next turn; and even where nothing is, a gang that is half bound has its time again to become
/// whole or be released.
///
/// **Example.** A gang of 4 to 16 members of one GPU, with a record of all 16, in a queue of at
/// most 8 GPUs: the first 8 are taken up.
final class ReservationRecovery {
  private final Cluster cluster;
  private final Gang gang;
  private final Policies policies;

  private ReservationRecovery(Cluster cluster, Gang gang, Policies policies) {
    this.cluster = cluster;
    this.gang = gang;
    this.policies = policies;
  }

  /// The image with the gang's recorded reservation, as far as it is taken up.
  static Cluster of(Cluster cluster, Gang gang, Policies policies) {
    ReservationRecovery work = new ReservationRecovery(cluster, gang, policies);
    SortedTable<MemberId, NodeId> record =
        gang.spec().map(GangSpec::recorded).orElse(SortedTable.empty());
    return record.isEmpty() || !work.mayStart() ? cluster : work.resumed(record);
  }

  /// Whether it runs in part, or its queue has room for what it needs at once.
  private boolean mayStart() {
    return gang.boundCount() > 0 || policies.quota().veto(cluster, gang).isEmpty();
  }

  private Cluster resumed(SortedTable<MemberId, NodeId> record) {
    List<Assignment> borne = borne(record);
    List<Assignment> allowed = new ArrayList<>(borne);
    while (isTooMuch(allowed)) {
      allowed.removeLast();
    }
    boolean tooFew = allowed.size() < borne.size() && allowed.size() < cluster.lacking(gang);
    return gang.boundCount() == 0 && tooFew ? cluster : with(allowed);
  }

  /// What the nodes bear of what is recorded for the gang's members.
  private List<Assignment> borne(SortedTable<MemberId, NodeId> record) {
    List<Assignment> borne = new ArrayList<>();
    Cluster image = cluster;
    Reservation reservation = policies.reservation(gang.id(), cluster.now());
    int required = cluster.topology().requiredDepth(gang.constraints().topology().required());
    Optional<DomainPath> home = home(required);
    for (Member member : gang.waiting()) {
      Optional<NodeState> node = record.get(member.id()).flatMap(image.nodes()::get);
      Optional<DomainPath> place = node.map(found -> found.place(required));
      boolean there = place.isPresent() && place.equals(home.or(() -> place));
      if (there && bears(image, node.get().promising(member), gang.id(), member.id())) {
        borne.add(new Assignment(member, node.get().id()));
        home = place;
        reservation = reservation.with(kept(borne.getLast()));
        image = image.with(reservation);
      }
    }
    return borne;
  }

  /// Where its members run, in the domain of this depth.
  private Optional<DomainPath> home(int depth) {
    return gang.bound().stream()
        .flatMap(mate -> mate.node().flatMap(cluster.nodes()::get).stream())
        .map(node -> node.place(depth))
        .findFirst();
  }

  private Promise kept(Assignment assignment) {
    return Promise.keep(assignment.member().id(), assignment.node(), cluster.now());
  }

  private boolean isTooMuch(List<Assignment> promised) {
    Placement placement = new Placement(promised, DomainPath.ROOT);
    return policies.quota().veto(cluster, gang, placement).isPresent();
  }

  /// The image with these promises; with none of them only where the gang has begun to start.
  private Cluster with(List<Assignment> promised) {
    Reservation reservation = policies.reservation(gang.id(), cluster.now());
    for (Assignment assignment : promised) {
      reservation = reservation.with(kept(assignment));
    }
    boolean half = gang.boundCount() > 0 && !PendingMembers.isWhole(gang);
    return half || !promised.isEmpty()
        ? cluster.with(reservation.as(Written.DONE, cluster.now()))
        : cluster;
  }

  /// Whether the node bears the pod that is promised to it.
  static boolean bears(Cluster cluster, NodeState state, GangId id, MemberId pod) {
    Gang gang = cluster.gang(id);
    Member member = gang.members().get(pod).orElseThrow();
    if (gang.spec().isEmpty()) {
      return true;
    }
    MemberRequirements ask = MemberRequirements.of(member.request(), gang.constraints(), cluster.topology());
    return LastingRules.veto(ask, state.node()).isEmpty()
        && hasGpus(state)
        && state.free().plus(member.request().resources()).covers(member.request().resources());
  }

  /// Parts of GPUs are no resources that Kubernetes counts.
  private static boolean hasGpus(NodeState state) {
    int taken = state.usedGpus() + state.promisedGpus() + state.sharedGpus().gpus();
    return taken <= state.node().gpus();
  }
}
