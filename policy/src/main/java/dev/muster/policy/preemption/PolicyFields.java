package dev.muster.policy.preemption;

import dev.muster.core.victims.PreemptionPolicy.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A policy as written in its files, with defaults filled in; the schema documents each field.
public record PolicyFields(
    Mode mode,
    List<Rule> rules,
    List<Protect> protect,
    Limiting limits,
    List<VictimOrder> victimOrder,
    Optional<List<CostPart>> cost,
    String delay,
    Duration notice,
    Optional<Duration> grace,
    Optional<Plugin> plugin,
    List<PolicyTest> tests) {
  public PolicyFields {
    rules = List.copyOf(rules);
    protect = List.copyOf(protect);
    victimOrder = List.copyOf(victimOrder);
    tests = List.copyOf(tests);
  }

  /// The actions of a rule on a pair that it matches.
  public enum Action {
    ALLOW,
    DENY
  }

  /// The treatment of a victim whose eviction its disruption budget forbids.
  enum Budgets {
    HONOUR,
    OVERRIDE
  }

  /// A rule.
  public record Rule(
      String name,
      Selector from,
      Selector to,
      Optional<Boolean> sameQueue,
      Optional<Boolean> sameNamespace,
      Optional<String> when,
      Action action,
      Optional<Duration> notice,
      Optional<Duration> grace,
      Budgets disruptionBudgets) {}

  /// A protection.
  record Protect(
      String name,
      Selector victims,
      Selector preemptors,
      Optional<Duration> minRunTime,
      Optional<Duration> remaining,
      Optional<Integer> progress,
      Optional<Boolean> ownerMarked,
      Optional<String> when,
      Optional<TimeWindow> window,
      Optional<Instant> since,
      Optional<Instant> until,
      Optional<String> owner,
      Optional<String> reason) {}

  /// The limits.
  record Limiting(
      int maxVictims,
      Optional<Integer> maxVictimGpus,
      int evictionsPerHour,
      Duration cooldown,
      MaxPreemptions maxPreemptions) {}

  /// The limit of preemptions of one gang.
  record MaxPreemptions(int count, Duration per) {}

  /// A part of the cost.
  record CostPart(Optional<VictimOrder> by, Optional<String> expression, int weight) {}

  /// The chosen Java policy and its parameters.
  public record Plugin(String name, SortedMap<String, String> parameters) {
    public Plugin {
      parameters = new TreeMap<>(parameters);
    }
  }
}
