package dev.muster.policy.preemption;

import dev.muster.policy.preemption.PolicyFields.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// An example that a policy must agree with.
///
/// @param name what it shows
/// @param given the gangs
/// @param expect what the policy is to say
record PolicyTest(String name, Given given, Expect expect) {
  /// Two gangs at a time.
  record Given(Instant now, GangFacts preemptor, GangFacts victim) {}

  /// What the policy is to say; what is absent may be anything.
  record Expect(
      Action action,
      Optional<String> rule,
      Optional<Instant> until,
      Optional<Duration> notice,
      Optional<Duration> grace,
      Optional<Duration> delay,
      Map<String, Long> price) {
    Expect {
      price = new TreeMap<>(price);
    }
  }
}
