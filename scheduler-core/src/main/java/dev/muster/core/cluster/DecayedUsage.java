package dev.muster.core.cluster;

import java.time.Duration;
import java.time.Instant;

/// GPU time that a queue has used, of which half is forgotten in every half-life.
///
/// Goals: old use counts less than new; two images that saw the same holdings at the same times
/// agree to the last digit, however often anybody looked and in whatever order simultaneous events
/// came; no floating point.
///
/// Algorithm: time is cut into epochs of a 64th of the half-life, counted from 1970. Within an
/// epoch GPUs times milliseconds add up exactly. At the end of each epoch the sum is multiplied by
/// 2^(-1/64), as a 64-bit fraction, rounded down; once an epoch leaves it as it was, so do all that
/// follow, and they are passed over. Whoever looks is told what that gives up to then; what is
/// stored changes only when the number of GPUs held does, and computing the way there in two legs
/// does the same multiplications as in one.
///
/// Example: with a half-life of 64 h epochs last 1 h. 10 GPUs held for one epoch are 10 GPU-hours
/// at its end, times 0.989 = 9.89 in the next, and 5 GPU-hours 64 epochs later.
///
/// @param epochMillis how long an epoch lasts, at least 1
/// @param atMillis up to when it is computed, in milliseconds since 1970
/// @param held GPUs held from then on
/// @param gpuMillis what is left of the GPU milliseconds used before
public record DecayedUsage(long epochMillis, long atMillis, int held, long gpuMillis) {
  /// The shortest half-life: an epoch of a second.
  public static final Duration SHORTEST_HALF_LIFE = Duration.ofSeconds(64);

  /// The longest half-life: the GPU time of a million GPUs for ever fits a `long`.
  public static final Duration LONGEST_HALF_LIFE = Duration.ofDays(3650);

  private static final int EPOCHS_PER_HALF_LIFE = 64;

  /// 2^64 times 2^(-1/64), rounded down, as an unsigned number.
  private static final long DECAY = 0xfd3e0c0cf486c174L;

  /// Nothing used and nothing held.
  ///
  /// @param halfLife from [#SHORTEST_HALF_LIFE] to [#LONGEST_HALF_LIFE]
  static DecayedUsage none(Duration halfLife) {
    return new DecayedUsage(halfLife.toMillis() / EPOCHS_PER_HALF_LIFE, 0, 0, 0);
  }

  /// The usage from the instant on with another number of GPUs held.
  DecayedUsage holding(int gpus, Instant from) {
    DecayedUsage then = at(from);
    return new DecayedUsage(epochMillis, then.atMillis, gpus, then.gpuMillis);
  }

  /// The usage as it stands at the instant; an instant before the last change is taken for that.
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
