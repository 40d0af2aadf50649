package dev.muster.server.metrics;

import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Counts what happens to gangs: starts with their waits, preemptions, and the GPU time of queues.
///
/// The counts come from the differences between two states, so they begin at 0 when the process
/// starts. What happened before Muster had seen the whole cluster is not counted. Only the engine's
/// thread may call [#stepped].
public final class GangMetrics {
  private static final Duration[] WAITS = {
    Duration.ofSeconds(10),
    Duration.ofMinutes(1),
    Duration.ofMinutes(5),
    Duration.ofMinutes(15),
    Duration.ofHours(1),
    Duration.ofHours(4),
    Duration.ofHours(12),
    Duration.ofDays(1),
    Duration.ofDays(3),
    Duration.ofDays(7)
  };

  /// Longest time after which GPU time is added, also while nothing changes.
  private static final Duration ADDED_EVERY = Duration.ofSeconds(10);

  /// Number of remembered preemptors from which those that no longer wait are forgotten.
  private static final int MOST_CHOSEN = 1_000;

  private final MeterRegistry registry;
  private final QueueLabel queues;
  private final Map<String, Timer> waits;
  private final Map<String, Counter> gpuSeconds;
  private final Map<String, Counter> preemptions = new ConcurrentHashMap<>();

  /// Victims and rules in the last decision for each preemptor.
  private final Map<GangId, Map<GangId, String>> chosen = new HashMap<>();

  private @Nullable State before;
  private Instant usedSince = Instant.MIN;

  /// GPUs in use by value of the label, and the accounts of which they are the sums. Names of
  /// queues can be the users' own, so a step costs only the accounts that it changes.
  private final Map<String, Long> inUse = new HashMap<>();

  private SortedTable<String, QueueUsage> accounts = SortedTable.empty();

  /// @param queues the configured queues
  public GangMetrics(MeterRegistry registry, Queues queues) {
    this.registry = registry;
    this.queues = QueueLabel.of(queues);
    waits = perQueue(this::waits);
    gpuSeconds = perQueue(this::gpuSeconds);
  }

  private <M> Map<String, M> perQueue(Function<String, M> meter) {
    return queues.values().stream().collect(Collectors.toUnmodifiableMap(queue -> queue, meter));
  }

  private Timer waits(String queue) {
    return Timer.builder("muster.gang.wait")
        .description("Time from a complete gang to all of its pods bound, for gangs that started.")
        .tag("queue", queue)
        .serviceLevelObjectives(WAITS)
        .minimumExpectedValue(WAITS[0])
        .maximumExpectedValue(WAITS[WAITS.length - 1])
        .register(registry);
  }

  private Counter gpuSeconds(String queue) {
    return Counter.builder("muster.queue.gpu.seconds")
        .description("Time of GPUs used by or promised to gangs of the queue.")
        .tag("queue", queue)
        .register(registry);
  }

  /// Counts one step of the engine.
  public void stepped(Step step) {
    State now = step.after();
    if (before != null && before.cluster().synced()) {
      starts(before, now);
      used(before.cluster(), now.cluster());
      evictions(before, step);
      for (Decision decision : step.decisions()) {
        decided(before, decision);
      }
    }
    count(now.cluster().ledger().accounts());
    before = now;
  }

  /// A gang has started when its minimum is bound or has ended well. Its reservation to start as a
  /// whole has then ended, or serves only further members.
  private void starts(State earlier, State state) {
    Cluster now = state.cluster();
    for (var change : now.reservations().differences(earlier.cluster().reservations())) {
      GangId id = change.key();
      Gang gang = now.gang(id);
      if (earlier.cluster().isStarting(id)
          && !now.isStarting(id)
          && gang.boundCount() > 0
          && gang.boundCount() + gang.succeededCount() >= gang.minCount()) {
        of(waits, gang.queue()).record(WaitingTime.of(gang, state));
      }
    }
  }

  /// Adds the GPU time since the last call, when an account changes or is due to be seen.
  @SuppressWarnings("ReferenceEquality") // unchanged accounts are identical
  private void used(Cluster earlier, Cluster now) {
    if (usedSince.equals(Instant.MIN)) {
      usedSince = earlier.now();
    }
    boolean changed = now.ledger().accounts() != accounts;
    if (changed || !now.now().isBefore(usedSince.plus(ADDED_EVERY))) {
      double seconds = Duration.between(usedSince, now.now()).toMillis() / 1000.0;
      inUse.forEach(
          (queue, gpus) -> Objects.requireNonNull(gpuSeconds.get(queue)).increment(gpus * seconds));
      usedSince = now.now();
    }
  }

  /// Takes over the GPUs in use from now on.
  private void count(SortedTable<String, QueueUsage> changed) {
    for (var change : changed.differences(accounts)) {
      long more = gpus(change.now()) - gpus(change.before());
      inUse.merge(queues.of(change.key()), more, Long::sum);
    }
    accounts = changed;
  }

  private static long gpus(Optional<QueueUsage> account) {
    return account.map(QueueUsage::inUse).orElse(0);
  }

  /// Counts each victim once, at its first eviction.
  private void evictions(State earlier, Step step) {
    Set<GangId> victims = new TreeSet<>();
    for (Effect effect : step.effects()) {
      if (effect instanceof Effect.Evict evict && evict.reason().equals(Effect.PREEMPTED)) {
        victims.add(evict.gang());
      }
    }
    for (GangId victim : victims) {
      boolean known = begun(earlier, victim).isPresent();
      begun(step.after(), victim)
          .filter(_ -> !known)
          .ifPresent(stop -> evicted(earlier.cluster().gang(victim), stop.victim()));
    }
  }

  private static Optional<Preemption.Stop> begun(State state, GangId victim) {
    return state.preemptions().stopOf(victim).filter(stop -> stop.evictedAt().isPresent());
  }

  private void evicted(Gang gang, Victim victim) {
    String queue = queues.of(gang.queue());
    gangs(victim.rule(), queue).increment();
    lost(victim.rule(), queue).increment((double) victim.lostWork());
  }

  /// Counts the victims of a decision. In mode Shadow the decision is repeated, because nothing
  /// changes; a victim counts again only if it was not in the decision before.
  private void decided(State earlier, Decision decision) {
    if (decision instanceof Decision.Preempt preempt) {
      if (chosen.size() >= MOST_CHOSEN) {
        chosen.keySet().removeIf(gang -> !earlier.standing().contains(gang));
      }
      Map<GangId, String> now =
          preempt.victims().stream()
              .collect(Collectors.toMap(Victim::gang, Victim::rule, (first, _) -> first));
      Map<GangId, String> last =
          Objects.requireNonNullElse(chosen.put(preempt.gang(), now), Map.of());
      now.forEach((victim, rule) -> {
        if (!rule.equals(last.get(victim))) {
          victims(rule, preempt.enforced()).increment();
        }
      });
    }
  }

  /// Adds the counters of these rules of the policy, at 0, so that the first event is an increase.
  /// Any thread may call it.
  public void declare(List<String> rules) {
    for (String rule : rules) {
      victims(rule, true);
      victims(rule, false);
      for (String queue : queues.values()) {
        gangs(rule, queue);
        lost(rule, queue);
      }
    }
  }

  private Counter victims(String rule, boolean enforced) {
    return counter(
        "muster.policy.rule.victims",
        "Victims that the rule allowed; enforced is false if they were only reported.",
        rule,
        Tag.of("enforced", Boolean.toString(enforced)));
  }

  private Counter gangs(String rule, String queue) {
    return counter(
        "muster.preempted.gangs", "Gangs that were preempted.", rule, Tag.of("queue", queue));
  }

  private Counter lost(String rule, String queue) {
    return counter(
        "muster.preempted.gpu.seconds",
        "GPU time that preempted gangs had done and lost.",
        rule,
        Tag.of("queue", queue));
  }

  private Counter counter(String name, String description, String rule, Tag more) {
    return preemptions.computeIfAbsent(
        String.join("\n", name, more.getValue(), rule),
        _ ->
            Counter.builder(name)
                .description(description)
                .tag("rule", rule)
                .tags(List.of(more))
                .register(registry));
  }

  private <M> M of(Map<String, M> meters, String queue) {
    return Objects.requireNonNull(meters.get(queues.of(queue)));
  }
}
