package dev.muster.simulator.baseline;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The classic policies by name.
public enum PolicyName {
  /// In order of submission; the first that has no place stops all others.
  FIFO_STRICT(() -> new FirstInFirstOut(true), NodeChoice.CONSOLIDATED),
  /// In order of submission; those that fit pass those that do not.
  FIFO_SKIP(() -> new FirstInFirstOut(false), NodeChoice.CONSOLIDATED),
  /// The shortest first; if it has no place, nobody starts.
  SJF_STRICT(() -> new ShortestFirst(true), NodeChoice.CONSOLIDATED),
  /// The shortest that fits first.
  SJF_SKIP(() -> new ShortestFirst(false), NodeChoice.CONSOLIDATED),
  /// The shortest remaining run time first, with preemption.
  SRTF(() -> new ShortestRemaining(false), NodeChoice.FIRST_FIT),
  /// The shortest remaining GPU time first, with preemption.
  SRSF(() -> new ShortestRemaining(true), NodeChoice.FIRST_FIT),
  /// The least GPU time had so far first, in a few queues, with preemption.
  LAS(LeastAttained::new, NodeChoice.CONSOLIDATED),
  /// In order of submission; others pass if they do not delay the first.
  EASY(EasyBackfill::new, NodeChoice.SCATTERED),
  /// In order of submission; others pass if they delay nobody.
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

  /// The placement that it is published with.
  public NodeChoice placement() {
    return usual;
  }

  /// Whether it stops jobs that run.
  public boolean preempts() {
    return this == SRTF || this == SRSF || this == LAS;
  }

  /// The name by which it is chosen, for example `fifo-strict`.
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// The policy of this name.
  public static Optional<PolicyName> byKey(String key) {
    return Arrays.stream(values()).filter(name -> name.key().equals(key)).findFirst();
  }

  /// All names, for error messages.
  public static String keys() {
    return Arrays.stream(values()).map(PolicyName::key).collect(Collectors.joining(", "));
  }
}
