package dev.muster.simulator.baseline;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The classic policies by name.
public enum PolicyName {
  /// Order of submission; the first job without a placement stops all others.
  FIFO_STRICT(() -> new FirstInFirstOut(true), NodeChoice.CONSOLIDATED),
  /// Order of submission; jobs that fit pass those that do not.
  FIFO_SKIP(() -> new FirstInFirstOut(false), NodeChoice.CONSOLIDATED),
  /// Shortest job first; if it has no placement, no job starts.
  SJF_STRICT(() -> new ShortestFirst(true), NodeChoice.CONSOLIDATED),
  /// Shortest job that fits first.
  SJF_SKIP(() -> new ShortestFirst(false), NodeChoice.CONSOLIDATED),
  /// Shortest remaining run time first, with preemption.
  SRTF(() -> new ShortestRemaining(false), NodeChoice.FIRST_FIT),
  /// Shortest remaining GPU time first, with preemption.
  SRSF(() -> new ShortestRemaining(true), NodeChoice.FIRST_FIT),
  /// Least attained GPU time first, in a few queues, with preemption.
  LAS(LeastAttained::new, NodeChoice.SCATTERED),
  /// Order of submission; other jobs pass if they do not delay the first.
  EASY(EasyBackfill::new, NodeChoice.SCATTERED),
  /// Order of submission; other jobs pass if they delay no earlier job.
  CONSERVATIVE(ConservativeBackfill::new, NodeChoice.SCATTERED),
  /// The queue that uses the fewest GPUs first.
  FAIR_SHARE(MaxMinShare::new, NodeChoice.CONSOLIDATED);

  @SuppressWarnings("ImmutableEnumChecker") // constructors
  private final Supplier<BaselinePolicy> maker;

  private final NodeChoice usual;

  PolicyName(Supplier<BaselinePolicy> maker, NodeChoice usual) {
    this.maker = maker;
    this.usual = usual;
  }

  BaselinePolicy make() {
    return maker.get();
  }

  /// Returns the placement with which the policy was published.
  public NodeChoice placement() {
    return usual;
  }

  /// True if the policy stops running jobs.
  public boolean preempts() {
    return this == SRTF || this == SRSF || this == LAS;
  }

  /// Returns the name on the command line, for example `fifo-strict`.
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Returns the policy of this name.
  public static Optional<PolicyName> byKey(String key) {
    return Arrays.stream(values()).filter(name -> name.key().equals(key)).findFirst();
  }

  /// Returns all names, for error messages.
  public static String keys() {
    return Arrays.stream(values()).map(PolicyName::key).collect(Collectors.joining(", "));
  }
}
