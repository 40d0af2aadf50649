package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.MemberCounts;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.collect.SortedTable.Difference;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.Placement;
import dev.muster.core.victims.QuotaShortage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The gate for queue limits: accepted namespaces, maximum use, and borrowing from guarantees of
/// others.
///
/// *Goals:* no queue ever uses more than its maximum, of all models or of one. A queue gets its
/// guarantee whatever others do, as capacity becomes free. Capacity that no queue claims is lent.
///
/// *Constraints:* the model is unknown before a place is found. The limit of one model must not
/// block a gang that could use another one.
///
/// *Algorithm:* the gang's need (the GPUs that must start at once) is checked against every
/// accepted model that nodes have. If none is open, the gang is refused. Otherwise the closed
/// models are removed from its constraints ([#narrowed]) before a place is searched. So every place
/// found for the need is within the limits. A gang that accepts a mix uses a model only if its
/// queue may take the whole need of it. That is stricter than needed, but it keeps every mix within
/// the limits. Places for more than the need are checked once they are found: [#veto(Cluster, Gang,
/// Placement)].
///
/// A model is closed when, with the need, the queue
///
/// 1. would use more than its maximum, overall or of the model; or
/// 2. would exceed its guarantee and take GPUs that others claim ([GuaranteeClaims]). Its guarantee
///    of the model is compared where others are guaranteed that model. Its overall guarantee is
///    compared where others have an overall one. A need within the guarantee of its model is within
///    both.
///
/// *Use:*
///
/// 1. Call [#veto(Cluster, Gang)].
/// 2. If it lets the gang pass, search a place for the gang as [#narrowed].
/// 3. If a place is found, check it with [#veto(Cluster, Gang, Placement)].
/// 4. If no place will ever be found, [#limit] states whether a removed model is the reason.
///
/// *Example:* `b` is guaranteed 4 GPUs and uses none. 12 H100 and 8 A100 on nodes of 4 are free,
/// and `a` claims 8 of the H100.
///
/// - A gang of `b` with two members of 4 GPUs passes, since A100 is open. It is narrowed to A100,
///   where it fits.
/// - A gang with a single member of 8 passes, too, but no node with A100 will ever hold it. It
///   waits for the limit on H100.
/// - A gang that accepts H100 alone does not pass.
///
/// @param queues the limits
/// @param unclaimed models on which claims do not count
/// @param claims cache of the claims
public record QuotaGate(Queues queues, SortedSet<String> unclaimed, ClaimsCache claims) {
  /// Creates a gate for which all claims count.
  public QuotaGate(Queues queues) {
    this(queues, Collections.emptySortedSet(), new ClaimsCache(queues));
  }

  /// Returns this gate with the claims on these models ignored.
  public QuotaGate unclaimed(SortedSet<String> models) {
    return new QuotaGate(queues, models, claims);
  }

  /// Returns the reason why the gang must not be tried now; empty if it may.
  public Optional<Veto> veto(Cluster cluster, Gang gang) {
    if (gang.spec().isEmpty()) {
      return Optional.empty();
    }
    boolean exists = queues.find(gang.namedQueue()).isPresent();
    if (exists && isForbidden(cluster, gang)) {
      return Optional.of(new Veto.QueueForbidden(gang.namedQueue(), gang.id().namespace()));
    }
    Optional<Queue> queue = queues.find(gang.queue());
    if (!exists || queue.isEmpty()) {
      String unknown = exists ? gang.queue() : gang.namedQueue();
      return Optional.of(new Veto.UnknownQueue(unknown, queues.byName().keys()));
    }
    int need = queues.takesAnyName() ? 0 : need(cluster, gang);
    return need == 0
        ? Optional.empty()
        : QuotaCheck.of(this, queue.get(), cluster, gang).refusal(need);
  }

  /// True if the queue that the gang names does not exist, or does not accept its namespace.
  public static boolean isForbidden(Cluster cluster, Gang gang) {
    return !cluster.namespaces().takes(gang.namedQueue(), gang.id().namespace());
  }

  /// Returns the gang with only those models that its queue may use for its need.
  ///
  /// It is placed instead of the gang itself, after [#veto(Cluster, Gang)] let the gang pass.
  public Gang narrowed(Cluster cluster, Gang gang) {
    int need = queues.takesAnyName() ? 0 : need(cluster, gang);
    Optional<Queue> queue = queues.find(gang.queue());
    if (need == 0 || queue.isEmpty() || gang.spec().isEmpty()) {
      return gang;
    }
    QuotaCheck check = QuotaCheck.of(this, queue.get(), cluster, gang);
    return gang.wishing(gang.constraints().gpus().without(check.closed(need)));
  }

  /// Returns an upper bound of the number of these members, in their order, that may start now.
  ///
  /// Places for more of them need not be searched: each would be refused. Places for fewer may be
  /// refused, too.
  ///
  /// @param gang the gang as [#narrowed]
  public int most(Cluster cluster, Gang gang, List<Member> members) {
    Optional<Queue> queue = queues.find(gang.queue());
    if (isOpen() || queue.isEmpty()) {
      return members.size();
    }
    long wanted = members.stream().mapToLong(member -> member.request().gpus()).sum();
    long left =
        QuotaCheck.of(this, queue.get(), cluster, gang)
            .most((int) Math.min(wanted, Integer.MAX_VALUE));
    int number = 0;
    while (number < members.size() && members.get(number).request().gpus() <= left) {
      left -= members.get(number).request().gpus();
      number++;
    }
    return number;
  }

  /// Returns the limit that removes some of the models accepted by the gang; empty if there is
  /// none.
  ///
  /// A limit that may change comes before one that never will.
  public Optional<Veto> limit(Cluster cluster, Gang gang) {
    int need = queues.takesAnyName() ? 0 : need(cluster, gang);
    return need == 0
        ? Optional.empty()
        : queues
            .find(gang.queue())
            .flatMap(queue -> first(QuotaCheck.of(this, queue, cluster, gang).refusals(need)));
  }

  static Optional<Veto> first(List<Veto> refusals) {
    return refusals.stream()
        .filter(veto -> veto.remedy() != Remedy.NEVER)
        .findFirst()
        .or(() -> refusals.stream().findFirst());
  }

  /// Returns the reason why the gang must not take this place; empty if it may.
  public Optional<Veto> veto(Cluster cluster, Gang gang, Placement placement) {
    if (queues.takesAnyName()) {
      return Optional.empty();
    }
    SortedMap<String, Integer> take = new TreeMap<>();
    for (Assignment assignment : placement.assignments()) {
      String model =
          cluster.nodes().get(assignment.node()).map(n -> n.node().model().name()).orElse("");
      int gpus = assignment.member().request().gpus();
      if (gpus > 0) {
        take.merge(model, gpus, Integer::sum);
      }
    }
    return take.isEmpty()
        ? Optional.empty()
        : queues
            .find(gang.queue())
            .flatMap(queue -> QuotaCheck.of(this, queue, cluster, gang).refusal(take));
  }

  /// True if no queue has limits. Then the GPUs that a gang may use never depend on those of
  /// others.
  public boolean isOpen() {
    return queues.takesAnyName();
  }

  /// Returns the queues in which a waiting gang may now pass, or has more open models.
  ///
  /// All waiting gangs of these queues are to be tried, whatever they wait for. If neither usage
  /// nor claims nor free GPUs changed, the result is empty and cheap to compute.
  public SortedSet<String> freed(Cluster before, Cluster after) {
    if (isOpen()) {
      return Collections.emptySortedSet();
    }
    TreeSet<String> freed = new TreeSet<>();
    boolean vacates = false;
    for (Difference<GangId, Hold> hold : after.holds().differences(before.holds())) {
      if (hold.before().filter(Hold::isVacated).isPresent()) {
        freed.add(before.gang(hold.key()).queue());
      }
      vacates |= hold.now().filter(Hold::isVacated).isPresent();
    }
    if (!after.holds().isEmpty()) {
      freed.addAll(holdingOn(otherModels(before, after), after));
    }
    if (vacates || !freed.isEmpty() || !isUntouched(before.ledger(), after.ledger())) {
      GuaranteeClaims earlier = claims.of(before);
      freed.addAll(claims.of(after).moreThan(earlier));
    }
    return freed;
  }

  /// Returns the nodes that are gone, new, or of another GPU model.
  private static Set<NodeId> otherModels(Cluster before, Cluster after) {
    TreeSet<NodeId> others = new TreeSet<>();
    for (Difference<NodeId, NodeState> node : after.nodes().differences(before.nodes())) {
      if (!node.before().map(QuotaGate::model).equals(node.now().map(QuotaGate::model))) {
        others.add(node.key());
      }
    }
    return others;
  }

  private static String model(NodeState node) {
    return node.node().model().name();
  }

  /// Returns the queues for whose gangs victims are being stopped on one of these nodes.
  private static Set<String> holdingOn(Set<NodeId> nodes, Cluster cluster) {
    TreeSet<String> queues = new TreeSet<>();
    for (Hold hold : Hold.vacated(cluster.holds())) {
      if (hold.shares().keys().stream().anyMatch(nodes::contains)) {
        queues.add(cluster.gang(hold.gang()).queue());
      }
    }
    return queues;
  }

  @SuppressWarnings("ReferenceEquality") // unchanged accounts are one object
  private static boolean isUntouched(UsageLedger before, UsageLedger after) {
    return before.accounts() == after.accounts() && before.supply().equals(after.supply());
  }

  /// Returns the shortages of quota of a gang that are common to these models.
  ///
  /// It is empty if the gang is too large for its queue on all of them.
  ///
  /// @param models GPU models on which the gang would be placed
  /// @param gpus GPUs that it must find at once
  public Optional<List<QuotaShortage>> shortages(
      Cluster cluster, Gang gang, Collection<String> models, int gpus) {
    Optional<Queue> queue = queues.find(gang.queue());
    if (isOpen() || gpus == 0 || queue.isEmpty() || models.isEmpty()) {
      return Optional.of(List.of());
    }
    QuotaCheck check = QuotaCheck.of(this, queue.get(), cluster, gang);
    List<QuotaShortage> common = new ArrayList<>();
    boolean first = true;
    for (String model : models) {
      SortedMap<String, Integer> take = QuotaCheck.take(model, gpus);
      if (check.refusal(take).filter(veto -> veto.remedy() == Remedy.NEVER).isEmpty()) {
        List<QuotaShortage> here = check.shortages(take);
        if (first) {
          common.addAll(here);
        }
        common.retainAll(here);
        first = false;
      }
    }
    return first ? Optional.empty() : Optional.of(common);
  }

  /// Returns the number of GPUs that the gang must find at once.
  ///
  /// They are those of the smallest members that it lacks to its minimum, since it may start with
  /// any. Beyond the minimum they are those of one more member.
  private static int need(Cluster cluster, Gang gang) {
    return MemberCounts.smallest(
        gang, cluster.reservations().get(gang.id()), Math.max(1, cluster.lacking(gang)));
  }
}
