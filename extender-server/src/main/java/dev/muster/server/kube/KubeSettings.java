package dev.muster.server.kube;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/// What of the cluster is ours, and how it is followed.
///
/// @param accelerators the resource names that count as GPUs
/// @param schedulerNames the profiles of kube-scheduler that ask us
/// @param faultConditions node conditions that make a node unfit while they are True
/// @param resync how often everything is compared with what the engine was told
public record KubeSettings(
    List<String> accelerators,
    Set<String> schedulerNames,
    Set<String> faultConditions,
    Duration resync) {
  /// NVIDIA GPUs, the default scheduler, no further fault conditions, every five minutes.
  public static final KubeSettings DEFAULT =
      new KubeSettings(
          List.of("nvidia.com/gpu"), Set.of("default-scheduler"), Set.of(), Duration.ofMinutes(5));

  public KubeSettings {
    accelerators = List.copyOf(accelerators);
    schedulerNames = Set.copyOf(schedulerNames);
    faultConditions = Set.copyOf(faultConditions);
    if (resync.isNegative() || resync.isZero()) {
      throw new IllegalArgumentException(
          "The resync interval is %s; it must be longer than nothing. Maybe 5m.".formatted(resync));
    }
  }
}
