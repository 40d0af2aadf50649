package dev.muster.core.state;

import dev.muster.core.admission.BudgetGate;
import dev.muster.core.admission.QuotaGate;
import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/// A wait class is a set of gangs with equal queue, priority, needs, constraints and expected
/// runtime.
///
/// While its first gang does not fit, none fits. So one answer is valid for all of them (Borg's
/// equivalence classes: Verma et al. 2015).
///
/// @param key properties that the gangs share
/// @param asks requirements of their members on a node, each kind once
/// @param need minimum that each gang needs to start
/// @param costly whether a search for a gang is costly, as defined by [RecentSearches]
/// @param gangs the gangs, oldest first
/// @param why reason why the first gang does not fit
public record WaitClass(
    Key key,
    List<MemberRequirements> asks,
    Need need,
    boolean costly,
    SortedTable<Age, GangId> gangs,
    Explanation why) {
  public WaitClass {
    asks = List.copyOf(asks);
  }

  /// Returns the class of the gang, without any gang in it yet.
  ///
  /// @param why reason why the gang does not fit
  public static WaitClass of(
      Cluster cluster, RuntimeHistory history, Gang gang, Policies policies, Explanation why) {
    List<Member> wanting = cluster.unpromised(gang);
    List<MemberRequirements> asks =
        MemberRequirements.ofEach(wanting, gang.constraints(), cluster.topology());
    Need need = Need.of(cluster, gang, wanting);
    Key key = Key.of(cluster, history, gang, policies);
    boolean costly = RecentSearches.isCostly(gang, cluster);
    return new WaitClass(key, asks, need, costly, SortedTable.empty(), why);
  }

  /// A key is the set of properties that the gangs of a class share.
  ///
  /// @param queue their queue
  /// @param priority their effective priority
  /// @param asks all other properties, as text; a digest of it if it is long
  public record Key(String queue, int priority, String asks) implements Comparable<Key> {
    /// Returns the key of the gang's class. Gangs with equal keys get equal answers. A gang with
    /// bound pods, a reservation or a hold is the only one of its class. So is one with leaving or
    /// ended members that matter for the places of the others. Only lone pods of one workload avoid
    /// the same nodes.
    public static Key of(Cluster cluster, RuntimeHistory history, Gang gang, Policies policies) {
      boolean unlike =
          cluster.reservations().contains(gang.id())
              || cluster.holds().contains(gang.id())
              || gang.boundCount() > 0
              || PendingMembers.haveShiftedSlices(gang)
              || (gang.memberCounts().stopping() > 0 && gang.members().any(Key::keepsMatesAway));
      String forbidden =
          QuotaGate.isForbidden(cluster, gang)
              ? gang.namedQueue() + '/' + gang.id().namespace()
              : "";
      return new Key(
          gang.queue(),
          policies.priority(gang),
          unlike
              ? gang.id().toString()
              : Shape.of(
                  asks(cluster, history, gang)
                      + forbidden
                      + budget(cluster, gang)
                      + avoiding(cluster, gang)));
    }

    private static String avoiding(Cluster cluster, Gang gang) {
      if (cluster.avoided(gang.id()).failures().isEmpty()) {
        return "";
      }
      GangId failing = cluster.failing(gang.id());
      return " avoiding " + failing.origin() + ' ' + failing;
    }

    /// Gangs of one queue can differ in their project, whose budget may be used up.
    private static String budget(Cluster cluster, Gang gang) {
      return BudgetGate.spent(cluster, gang).map(spent -> spent.owner().toString()).orElse("");
    }

    private static boolean keepsMatesAway(Member member) {
      return member.request().onePerNode() && member.node().isPresent();
    }

    /// Returns the text of a gang's other properties. It lists runs of equal members in rank order,
    /// the members that the gang lacks, its constraints and its expected runtime.
    private static String asks(Cluster cluster, RuntimeHistory history, Gang gang) {
      List<Member> wanting = cluster.unpromised(gang);
      return Shape.runs(wanting)
          .append(PendingMembers.atMost(cluster, gang))
          .append(' ')
          .append(cluster.lacking(gang))
          .append(gang.constraints())
          .append(history.expected(gang))
          .toString();
    }

    /// Orders keys by priority, highest first. The rest of the order is deterministic but has no
    /// meaning. It compares hash codes before texts, because texts of classes share long prefixes.
    @Override
    public int compareTo(Key other) {
      int side = Integer.compare(other.priority, priority);
      side = side != 0 ? side : Integer.compare(asks.hashCode(), other.asks.hashCode());
      side = side != 0 || queue.equals(other.queue) ? side : queue.compareTo(other.queue);
      return side != 0 || asks.equals(other.asks) ? side : asks.compareTo(other.asks);
    }
  }

  /// A need is the minimum that a gang needs to start, as sums of resources.
  ///
  /// @param members smallest number of its members that must start
  /// @param gpus whole GPUs of its smallest member; 0 if that needs none, or a share of one
  /// @param gpuMilli GPUs of all these members, in thousandths; 0 where nothing is known
  /// @param models acceptable GPU models
  /// @param depth depth of the domain that must contain the members; 0 for the whole cluster
  /// @param onOneNode resources that one node must have for all these members; none if they may be
  ///   on several
  public record Need(
      int members,
      int gpus,
      long gpuMilli,
      GpuModelPreference models,
      int depth,
      Resources onOneNode) {
    /// Returns the need of the gang. It is zero if the gang has a reservation, because it may give
    /// up promises for other nodes.
    public static Need of(Cluster cluster, Gang gang, List<Member> wanting) {
      GpuModelPreference models = gang.constraints().gpus();
      if (cluster.reservations().contains(gang.id()) || wanting.isEmpty()) {
        return new Need(0, 0, 0, models, 0, Resources.NONE);
      }
      int members = Math.clamp(cluster.lacking(gang), 1, wanting.size());
      int gpus = Integer.MAX_VALUE;
      long milli = 0;
      for (Member member : PendingMembers.smallest(wanting, members)) {
        gpus = Math.min(gpus, member.request().gpus());
        milli += 1000L * member.request().gpus() + member.request().gpuMilli();
      }
      int depth = cluster.topology().requiredDepth(gang.constraints().topology().required());
      return depth <= cluster.topology().depth()
          ? new Need(members, gpus, milli, models, depth, Resources.NONE)
          : new Need(members, gpus, milli, models, 0, least(wanting).times(members));
    }

    /// Returns the amount of each resource that every member needs.
    private static Resources least(List<Member> members) {
      SortedMap<String, Long> least = members.getFirst().request().resources().asMap();
      for (Member member : members) {
        least.replaceAll(
            (name, amount) -> Math.min(amount, member.request().resources().get(name)));
      }
      return Resources.of(least);
    }

    /// True if the node may have capacity for all these members, where one must.
    public boolean mayFitOn(NodeState node) {
      return node.unpromised().covers(onOneNode);
    }
  }

  /// An age is the position of a gang within its class.
  public record Age(Instant eligibleAt, GangId gang) implements Comparable<Age> {
    @Override
    public int compareTo(Age other) {
      int side = eligibleAt.compareTo(other.eligibleAt);
      return side == 0 ? gang.compareTo(other.gang) : side;
    }
  }

  /// Returns the oldest gang; a class is never empty.
  public GangId first() {
    return gangs.first(_ -> true).orElseThrow();
  }

  /// True if its gangs would start once enough capacity is free on the existing nodes.
  public boolean hasHope() {
    return why.main().filter(Veto::isHopeless).isEmpty();
  }

  /// True if its gangs lack capacity: they could start if other gangs left.
  public boolean needsRoom() {
    return why.main()
        .map(Veto::remedy)
        .filter(remedy -> remedy == Remedy.EVICTION || remedy == Remedy.RELEASE)
        .isPresent();
  }

  /// True if its gangs lack capacity or quota that other gangs use.
  public boolean needsVictims() {
    return needsRoom() || why.main().filter(veto -> veto.remedy() == Remedy.QUOTA).isPresent();
  }

  /// True if the reason is of the kind that the class already has, with any numbers.
  public boolean isAnswered(Explanation reason) {
    return why.main().map(Object::getClass).equals(reason.main().map(Object::getClass));
  }

  public WaitClass with(Age age) {
    return withGangs(gangs.with(age, age.gang()));
  }

  /// Returns this class with these gangs only.
  WaitClass withGangs(SortedTable<Age, GangId> others) {
    return new WaitClass(key, asks, need, costly, others, why);
  }

  /// Returns this class without the gang; empty when none is left.
  public Optional<WaitClass> without(Age age) {
    var rest = gangs.without(age);
    return rest.isEmpty() ? Optional.empty() : Optional.of(withGangs(rest));
  }

  /// Returns this class without a reason.
  WaitClass passedOver() {
    return because(
        new Explanation(
            why.clusterVersion(), why.at(), why.nodes(), Optional.empty(), why.tally()));
  }

  public WaitClass because(Explanation reason) {
    return new WaitClass(key, asks, need, costly, gangs, reason);
  }
}
