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

/// What queues allow: whose gangs they take, how many GPUs these may use, and how far a queue may
/// borrow what is guaranteed to others.
///
/// Goals: no queue ever uses more than its maximum, of all models or of one; a queue gets its
/// guarantee whatever others do, as room comes; what nobody claims is lent.
///
/// Constraints: before a place is found the model is open. The limit of one model must not hold up
/// a gang that could go on another.
///
/// Algorithm: the gang's need (what must start at once) is checked against every model that will do
/// and that nodes have. If none is open the gang is refused. Otherwise the models that are closed
/// are taken out of its wish ([#narrowed]) before a place is looked for; so every place found for
/// the need is within the limits. A gang that accepts a mix uses a model only if its queue has room
/// there for the whole need: stricter than needed, but then no mix goes too far. Places for more
/// than the need are checked as found ([#veto(TestCluster, Gang, Placement)]).
///
/// A model is closed when, with the need, the queue
///
/// 1. would use more than its maximum, overall or of the model; or
/// 2. would go beyond its guarantee and take what others have a claim on ([GuaranteeClaims]): beyond
///    the guarantee of the model, where others are guaranteed that model; beyond the overall
///    guarantee where others have an overall one. A need within the guarantee of its model is
///    within both.
///
/// Use: first [#veto(TestCluster, Gang)]; if that lets the gang pass, a place is sought for the gang as
/// [#narrowed]; one that is found is shown to [#veto(TestCluster, Gang, Placement)]; where none will
/// ever be found, [#limit] tells whether that is for a model that was taken out.
///
/// Example: `b` is guaranteed 4 GPUs and uses none; 12 H100 and 8 A100 on nodes of 4 are free, of
/// the H100 `a` claims 8. A gang of `b` with two members of 4 GPUs passes, as A100 is open, and is
/// narrowed to A100, where it fits. One with a single member of 8 passes, too, but no node with
/// A100 will ever hold it: the limit on H100 is what it waits for. One that takes H100 alone does
/// not pass.
///
/// @param queues the limits
/// @param unclaimed models of which claims bind nobody
public record QuotaGate(Queues queues, SortedSet<String> unclaimed) {
  /// Where all claims bind.
  public QuotaGate(Queues queues) {
    this(queues, Collections.emptySortedSet());
  }

  /// Why the gang may not try now; empty when it may.
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

  /// The gang, wishing only for models on which its queue has room for its need: to be placed
  /// instead of the gang itself, after [#veto(TestCluster, Gang)] let it pass.
  public Gang narrowed(Cluster cluster, Gang gang) {
    int need = queues.takesAnyName() ? 0 : need(cluster, gang);
    Optional<Queue> queue = queues.find(gang.queue());
    if (need == 0 || queue.isEmpty() || gang.spec().isEmpty()) {
      return gang;
    }
    Check check = Check.of(this, queue.get(), cluster, gang);
    return gang.wishing(gang.constraints().gpus().without(check.closed(need)));
  }

  /// Which limit keeps the gang from some of the models it wishes for, one that may yet be another
  /// before one that never will; empty when none does.
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

  /// Why the gang may not take this place; empty when it may.
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

  /// Whether no queue has limits: then what a gang may use never hangs on what others use.
  public boolean isOpen() {
    return queues.takesAnyName();
  }

  /// The queues of which some waiting gang may be let pass, or find models open, that was not
  /// before: all waiting gangs of these are to be tried, whatever they wait for. Empty, and cheap,
  /// when neither holdings nor claims nor free GPUs changed.
  public SortedSet<String> freed(Cluster before, Cluster after) {
    return isOpen() || isUntouched(before.ledger(), after.ledger())
        ? Collections.emptySortedSet()
        : new GuaranteeClaims(queues, after.ledger()).moreThan(new GuaranteeClaims(queues, before.ledger()));
  }

  @SuppressWarnings("ReferenceEquality") // accounts that nothing touched are the same object
  private static boolean isUntouched(UsageLedger before, UsageLedger after) {
    return before.accounts() == after.accounts() && before.supply().equals(after.supply());
  }

  /// GPUs that must be found at once: those of the members, in rank order, that the gang lacks to
  /// its minimum; once it has that, those of the next one.
  private static int need(Cluster cluster, Gang gang) {
    int members = Math.max(1, cluster.lacking(gang));
    int gpus = 0;
    for (Member member : cluster.unpromised(gang)) {
      gpus += members-- > 0 ? member.request().gpus() : 0;
    }
    return gpus;
  }

  /// One gang's check against its queue.
  private record Check(
      GuaranteeClaims claims, SortedSet<String> unclaimed, Queue queue, Cluster cluster, Gang gang) {
    static Check of(QuotaGate gate, Queue queue, Cluster cluster, Gang gang) {
      GuaranteeClaims claims = new GuaranteeClaims(gate.queues(), cluster.ledger());
      return new Check(claims, gate.unclaimed(), queue, cluster, gang);
    }

    /// Why no model will do; empty when one does, or when no node has one that would.
    Optional<Veto> refusal(int need) {
      List<Veto> refusals = refusals(need);
      return refusals.size() < models().size() ? Optional.empty() : first(refusals);
    }

    /// Why each of the closed models is closed, most wanted first.
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

    /// The models that will do and that nodes have, most wanted first.
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

    /// Whether it runs and lacks members. Nobody is stopped for a claim, so a gang that lost a
    /// member may replace it.
    private boolean isBroken() {
      return gang.boundCount() > 0 && cluster.lacking(gang) > 0;
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

    /// What the gang's own pods still hold that are on their way out: it comes free.
    private int leaving(Predicate<String> counts) {
      int gpus = 0;
      for (Member member : gang.members()) {
        boolean leaves = member.state() instanceof MemberState.Leaving;
        Optional<UsageLedger.PodUsage> held =
            leaves ? cluster.ledger().podUsages().get(member.id()) : Optional.empty();
        gpus += held.isPresent() && counts.test(held.get().model()) ? held.get().gpus() : 0;
      }
      return gpus;
    }

    private Optional<Veto> overClaims(SortedMap<String, Integer> take) {
      for (GuaranteeClaims.Pool pool : claims.pools()) {
        int asked = claims.isClaimed(pool, queue.name()) ? sum(take, pool::has) : 0;
        int room = asked == 0 ? 0 : claims.room(pool, queue.name());
        if (asked > room && !isGuaranteed(pool, take)) {
          int used = account().inUse(pool::has);
          return Optional.of(
              new Veto.OverQuota(queue.name(), pool.name(), asked, used, used + Math.max(0, room)));
        }
      }
      return Optional.empty();
    }

    /// Whether what is taken of the pool is within what the queue itself is guaranteed there.
    private boolean isGuaranteed(GuaranteeClaims.Pool pool, SortedMap<String, Integer> take) {
      if (pool.said().isPresent()) {
        return isGuaranteed(pool, take, said -> Quota.means(pool.said().get(), said));
      }
      int overall = queue.guaranteed().gpus().orElse(0);
      return account().inUse() + sum(take, _ -> true) <= overall
          || isGuaranteed(pool, take, _ -> true);
    }

    /// Whether a guarantee of the queue that counts covers each of the models.
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
