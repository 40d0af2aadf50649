package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Placement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

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
public record QuotaGate(Queues queues, SortedSet<String> unclaimed) {
  /// Creates a gate for which all claims count.
  public QuotaGate(Queues queues) {
    this(queues, Collections.emptySortedSet());
  }

  /// Returns the reason why the gang must not be tried now; empty if it may.
  public Optional<Veto> veto(Cluster cluster, Gang gang) {
    if (gang.spec().isEmpty()) {
      return Optional.empty();
    }
    Optional<Queue> queue = queues.find(gang.queue());
    if (queue.isEmpty()) {
      return Optional.of(new Veto.UnknownQueue(gang.queue(), queues.byName().keys()));
    }
    if (!queue.get().takes(gang.id().namespace())) {
      return Optional.of(new Veto.QueueForbidden(gang.queue(), gang.id().namespace()));
    }
    int need = need(cluster, gang);
    return need == 0 || queues.takesAnyName()
        ? Optional.empty()
        : Check.of(this, queue.get(), cluster, gang).refusal(need);
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
    Check check = Check.of(this, queue.get(), cluster, gang);
    return gang.wishing(gang.constraints().gpus().without(check.closed(need)));
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
            .flatMap(queue -> first(Check.of(this, queue, cluster, gang).refusals(need)));
  }

  private static Optional<Veto> first(List<Veto> refusals) {
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
            .flatMap(queue -> Check.of(this, queue, cluster, gang).refusal(take));
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
    return isOpen() || isUntouched(before.ledger(), after.ledger())
        ? Collections.emptySortedSet()
        : new GuaranteeClaims(queues, after.ledger())
            .moreThan(new GuaranteeClaims(queues, before.ledger()));
  }

  @SuppressWarnings("ReferenceEquality") // unchanged accounts are one object
  private static boolean isUntouched(UsageLedger before, UsageLedger after) {
    return before.accounts() == after.accounts() && before.supply().equals(after.supply());
  }

  /// Returns the number of GPUs that the gang must find at once.
  ///
  /// They are those of the smallest members that it lacks to its minimum, since it may start with
  /// any. Beyond the minimum they are those of one more member.
  private static int need(Cluster cluster, Gang gang) {
    int members = Math.max(1, cluster.lacking(gang));
    return cluster.unpromised(gang).stream()
        .mapToInt(member -> member.request().gpus())
        .sorted()
        .limit(members)
        .sum();
  }

  /// The check of one gang against its queue.
  private record Check(
      GuaranteeClaims claims,
      SortedSet<String> unclaimed,
      Queue queue,
      Cluster cluster,
      Gang gang) {
    static Check of(QuotaGate gate, Queue queue, Cluster cluster, Gang gang) {
      GuaranteeClaims claims = new GuaranteeClaims(gate.queues(), cluster.ledger());
      return new Check(claims, gate.unclaimed(), queue, cluster, gang);
    }

    /// Returns the reason why no model is open; empty if one is, or if no node has an accepted
    /// model.
    Optional<Veto> refusal(int need) {
      List<Veto> refusals = refusals(need);
      return refusals.size() < models().size() ? Optional.empty() : first(refusals);
    }

    /// Returns the reason for each closed model, in the gang's order of preference.
    List<Veto> refusals(int need) {
      return models().stream().flatMap(model -> refusal(take(model, need)).stream()).toList();
    }

    SortedSet<String> closed(int need) {
      TreeSet<String> closed = new TreeSet<>();
      for (String model : models()) {
        if (refusal(take(model, need)).isPresent()) {
          closed.add(model);
        }
      }
      return closed;
    }

    /// Returns the accepted models that nodes have, in the gang's order of preference.
    private List<String> models() {
      GpuModelPreference choice = gang.constraints().gpus();
      List<String> models = new ArrayList<>(cluster.ledger().supply().keys());
      models.removeIf(model -> !choice.accepts(model));
      models.sort(Comparator.comparingInt(choice::rank));
      return models;
    }

    private static SortedMap<String, Integer> take(String model, int gpus) {
      TreeMap<String, Integer> take = new TreeMap<>();
      take.put(model, gpus);
      return take;
    }

    Optional<Veto> refusal(SortedMap<String, Integer> take) {
      boolean bound = !isBroken() && !unclaimed.containsAll(take.keySet());
      return overMaximum(take).or(() -> bound ? overClaims(take) : Optional.empty());
    }

    /// True if the gang runs and lacks members.
    ///
    /// No gang is stopped for a claim, so a gang that lost a member may replace it.
    private boolean isBroken() {
      return gang.isBroken(cluster.reservations().get(gang.id()));
    }

    private Optional<Veto> overMaximum(SortedMap<String, Integer> take) {
      Optional<Veto> overall =
          queue.maximum().gpus().flatMap(max -> over("", max, take, _ -> true));
      if (overall.isPresent()) {
        return overall;
      }
      for (Map.Entry<String, Integer> limit : queue.maximum().models().entrySet()) {
        String said = limit.getKey();
        Optional<Veto> over = over(said, limit.getValue(), take, m -> Quota.means(said, m));
        if (over.isPresent()) {
          return over;
        }
      }
      return Optional.empty();
    }

    private Optional<Veto> over(
        String said, int max, SortedMap<String, Integer> take, Predicate<String> counts) {
      int asked = sum(take, counts);
      int used = account().inUse(counts);
      if (asked == 0 || used + asked <= max) {
        return Optional.empty();
      }
      int own = cluster.ledger().inUse(gang.id(), counts) - leaving(counts);
      return Optional.of(
          own + asked > max
              ? new Veto.TooBigForQueue(queue.name(), said, own + asked, max)
              : new Veto.OverQuota(queue.name(), said, asked, used, max));
    }

    /// Returns the number of GPUs that the gang's own terminating pods still hold and will release.
    private int leaving(Predicate<String> counts) {
      int gpus = 0;
      for (Member member : gang.members()) {
        boolean leaves = member.state() instanceof MemberState.Leaving;
        Optional<UsageLedger.PodUsage> held =
            leaves ? cluster.ledger().podUsages().get(member.id()) : Optional.empty();
        gpus += held.isPresent() && counts.test(held.get().model()) ? held.get().charged() : 0;
      }
      return gpus;
    }

    private Optional<Veto> overClaims(SortedMap<String, Integer> take) {
      for (GuaranteeClaims.Pool pool : claims.pools()) {
        int asked = claims.isClaimed(pool, queue.name()) ? sum(take, pool::has) : 0;
        int room = asked == 0 ? 0 : claims.available(pool, queue.name());
        if (asked > room && !isGuaranteed(pool, take)) {
          int used = account().inUse(pool::has);
          return Optional.of(
              new Veto.OverQuota(queue.name(), pool.name(), asked, used, used + Math.max(0, room)));
        }
      }
      return Optional.empty();
    }

    /// True if the GPUs taken of the pool are within the queue's own guarantee there.
    private boolean isGuaranteed(GuaranteeClaims.Pool pool, SortedMap<String, Integer> take) {
      if (pool.said().isPresent()) {
        return isGuaranteed(pool, take, said -> Quota.means(pool.said().get(), said));
      }
      int overall = queue.guaranteed().gpus().orElse(0);
      return account().inUse() + sum(take, _ -> true) <= overall
          || isGuaranteed(pool, take, _ -> true);
    }

    /// True if a guarantee of the queue that counts covers each of the models.
    private boolean isGuaranteed(
        GuaranteeClaims.Pool pool, SortedMap<String, Integer> take, Predicate<String> counts) {
      return take.keySet().stream()
          .filter(pool::has)
          .allMatch(model ->
              queue.guaranteed().models().keySet().stream()
                  .filter(said -> counts.test(said) && Quota.means(said, model))
                  .anyMatch(said -> isGuaranteed(said, take)));
    }

    private boolean isGuaranteed(String said, SortedMap<String, Integer> take) {
      Predicate<String> meant = model -> Quota.means(said, model);
      int guaranteed = queue.guaranteed().models().getOrDefault(said, 0);
      return account().inUse(meant) + sum(take, meant) <= guaranteed;
    }

    private QueueUsage account() {
      return cluster.ledger().account(queue.name());
    }

    private static int sum(SortedMap<String, Integer> take, Predicate<String> counts) {
      int sum = 0;
      for (Map.Entry<String, Integer> entry : take.entrySet()) {
        sum += counts.test(entry.getKey()) ? entry.getValue() : 0;
      }
      return sum;
    }
  }
}
