package dev.muster.core.victims;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The answer of a policy on stopping one gang for another.
public sealed interface PolicyVerdict {
  /// The name of the policy rule that decided.
  String rule();

  /// The victim may be stopped.
  ///
  /// @param price cost of stopping it: one amount for each term of the policy, in their order; each
  ///   is 0 or more, less is better
  /// @param notice warning time before the eviction, unless the gang acknowledges earlier; zero
  ///   means immediate eviction
  /// @param grace termination grace period of its pods; absent: the pods' own
  /// @param overBudgets true if it is stopped even if a disruption budget forbids it
  record Allowed(
      String rule, List<Long> price, Duration notice, Optional<Duration> grace, boolean overBudgets)
      implements PolicyVerdict {
    public Allowed {
      price = List.copyOf(price);
    }

    /// Creates a verdict that respects disruption budgets.
    public Allowed(String rule, List<Long> price, Duration notice, Optional<Duration> grace) {
      this(rule, price, notice, grace, false);
    }
  }

  /// The victim may not be stopped.
  ///
  /// @param because one sentence for users
  /// @param until end of the protection, if it depends on time alone
  record Protected(String rule, String because, Optional<Instant> until) implements PolicyVerdict {}
}
