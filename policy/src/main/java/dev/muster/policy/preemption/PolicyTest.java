package dev.muster.policy.preemption;

import dev.muster.policy.preemption.PolicyFields.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// An example that a policy must agree with.
///
/// @param name its description
/// @param given the gangs
/// @param expect the expected ruling
public record PolicyTest(String name, Given given, Expect expect) {
  /// Two gangs at one time.
  public record Given(Instant now, GangFacts preemptor, GangFacts victim) {}

  /// The expected ruling; an absent field may have any value.
  public record Expect(
      Action action,
      Optional<String> rule,
      Optional<Instant> until,
      Optional<Duration> notice,
      Optional<Duration> grace,
      Optional<Duration> delay,
      Map<String, Long> price) {
    public Expect {
      price = new TreeMap<>(price);
    }
  }
}
