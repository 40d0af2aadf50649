package dev.muster.core.cluster;

import java.time.Duration;
import java.time.Instant;

/// GPU time used by a queue, of which half is forgotten in every half-life.
///
/// *Goals:* old use counts less than new use. Two images that saw equal holdings at equal times
/// agree to the last digit, however often the usage was read and in whatever order simultaneous
/// events came. No floating point.
///
/// *Algorithm:* time is cut into epochs of a 64th of the half-life, counted from 1970. Within an
/// epoch GPUs times milliseconds add up exactly. At the end of each epoch the sum is multiplied by
/// 2^(-1/64), as a 64-bit fraction, and rounded down. Once an epoch leaves the sum unchanged, so do
/// all later ones, and they are skipped. A read computes the sum up to its instant. The stored sum
/// changes only with the number of GPUs held. Two steps do exactly the multiplications of one long
/// step.
///
/// *Example:* with a half-life of 64 h an epoch lasts 1 h. 10 GPUs held for one epoch are 10
/// GPU-hours at its end, times 0.989 = 9.89 in the next, and 5 GPU-hours 64 epochs later.
///
/// @param epochMillis duration of an epoch in milliseconds, at least 1
/// @param atMillis time up to which the sum is computed, in milliseconds since 1970
/// @param held GPUs held from then on
/// @param gpuMillis decayed sum of the GPU milliseconds used before
public record DecayedUsage(long epochMillis, long atMillis, int held, long gpuMillis) {
  /// The shortest half-life: an epoch lasts one second.
  public static final Duration SHORTEST_HALF_LIFE = Duration.ofSeconds(64);

  /// The longest half-life: the decayed usage of a million GPUs always fits a `long`.
  public static final Duration LONGEST_HALF_LIFE = Duration.ofDays(3650);

  private static final int EPOCHS_PER_HALF_LIFE = 64;

  /// 2^64 times 2^(-1/64), rounded down, as an unsigned number.
  private static final long DECAY = 0xfd3e0c0cf486c174L;

  /// Returns a usage without GPU time and without GPUs held.
  ///
  /// @param halfLife from [#SHORTEST_HALF_LIFE] to [#LONGEST_HALF_LIFE]
  static DecayedUsage none(Duration halfLife) {
    return new DecayedUsage(halfLife.toMillis() / EPOCHS_PER_HALF_LIFE, 0, 0, 0);
  }

  /// Returns the usage with another number of GPUs held from the instant on.
  DecayedUsage holding(int gpus, Instant from) {
    DecayedUsage then = at(from);
    return new DecayedUsage(epochMillis, then.atMillis, gpus, then.gpuMillis);
  }

  /// Returns the usage at the instant. An earlier instant than the last change counts as that
  /// change's.
  public DecayedUsage at(Instant instant) {
    long until = Math.max(atMillis, instant.toEpochMilli());
    long at = atMillis;
    long used = gpuMillis;
    long next = (Math.floorDiv(at, epochMillis) + 1) * epochMillis;
    while (next <= until && (held > 0 || used > 0)) {
      long before = used;
      boolean whole = next - at == epochMillis;
      used = Math.unsignedMultiplyHigh(used + held * (next - at), DECAY);
      at = whole && used == before ? Math.floorDiv(until, epochMillis) * epochMillis : next;
      next = at + epochMillis;
    }
    return new DecayedUsage(epochMillis, until, held, used + held * (until - at));
  }
}
