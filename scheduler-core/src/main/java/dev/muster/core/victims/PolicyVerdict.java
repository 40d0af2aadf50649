package dev.muster.core.victims;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What a policy says of stopping one gang for another.
public sealed interface PolicyVerdict {
  /// The rule that decided, by its name in the policy.
  String rule();

  /// It may be stopped.
  ///
  /// @param price what stopping it costs, one amount for each of the policy's terms in their order;
  ///   each 0 or more, less is better
  /// @param notice how long the gang is told before it is evicted, unless it acknowledges earlier;
  ///   zero: it is evicted at once
  /// @param grace how long its pods have to end; absent: what the pods say themselves
  /// @param overBudgets whether it is stopped although a disruption budget forbids it
  record Allowed(
      String rule, List<Long> price, Duration notice, Optional<Duration> grace, boolean overBudgets)
      implements PolicyVerdict {
    public Allowed {
      price = List.copyOf(price);
    }

    /// As far as disruption budgets allow it.
    public Allowed(String rule, List<Long> price, Duration notice, Optional<Duration> grace) {
      this(rule, price, notice, grace, false);
    }
  }

  /// It may not.
  ///
  /// @param because one sentence for people
  /// @param until when that ends, as far as it is only a matter of time
  record Protected(String rule, String because, Optional<Instant> until) implements PolicyVerdict {}
}
