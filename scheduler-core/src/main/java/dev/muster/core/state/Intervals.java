package dev.muster.core.state;

import java.time.Duration;

/// Intervals are the fixed times after which the engine repeats a request, or gives up.
///
/// They are constants and no configuration: each is long beside an API call and short beside the
/// time that a gang waits or runs.
public final class Intervals {
  /// The time for which a gang rests whose object takes no record. It equals the usual time in
  /// which a start fails otherwise.
  public static final Duration UNRECORDABLE = Duration.ofMinutes(2);

  /// An effect without an observed outcome is requested again after this time.
  public static final Duration AGAIN = Duration.ofSeconds(15);

  /// Pods that are still there after an eviction are evicted again after this time.
  public static final Duration EVICT_AGAIN = Duration.ofSeconds(30);

  /// A pod that is still there after its grace period is not expected to end after this time.
  public static final Duration OVERDUE = Duration.ofMinutes(1);

  /// A preemptor whose victims are gone, and that still found no place, gives up after this time.
  public static final Duration START = Duration.ofSeconds(30);

  /// A victim or preemptor that failed is left out of victim searches for this time. The eviction
  /// of the victim was forbidden, or the preemptor did not start in time.
  public static final Duration BARRED = Duration.ofMinutes(10);

  private Intervals() {}
}
