package dev.muster.server.kube;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

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
  private static final String ACCELERATORS = "accelerators";
  private static final String SCHEDULER_NAMES = "schedulerNames";
  private static final String FAULT_CONDITIONS = "faultConditions";

  /// NVIDIA GPUs, the default scheduler, no further fault conditions, every five minutes.
  public static final KubeSettings DEFAULT =
      new KubeSettings(
          List.of("nvidia.com/gpu"),
          Set.of(Names.DEFAULT_SCHEDULER),
          Set.of(),
          Duration.ofMinutes(5));

  public KubeSettings {
    accelerators = List.copyOf(accelerators);
    schedulerNames = Set.copyOf(schedulerNames);
    faultConditions = Set.copyOf(faultConditions);
    if (!resync.isPositive()) {
      throw new IllegalArgumentException(
          "The resync interval is %s; it must be longer than nothing. Maybe 5m.".formatted(resync));
    }
  }

  /// What a reader of a journal needs to read further objects of the same cluster alike.
  public Map<String, String> written() {
    return Map.of(
        ACCELERATORS, String.join(",", accelerators),
        SCHEDULER_NAMES, String.join(",", new TreeSet<>(schedulerNames)),
        FAULT_CONDITIONS, String.join(",", new TreeSet<>(faultConditions)));
  }

  /// What [#written] wrote; the defaults where a journal says nothing.
  public static KubeSettings read(Map<String, String> written) {
    return new KubeSettings(
        names(written, ACCELERATORS).orElse(DEFAULT.accelerators),
        names(written, SCHEDULER_NAMES)
            .<Set<String>>map(Set::copyOf)
            .orElse(DEFAULT.schedulerNames),
        Set.copyOf(names(written, FAULT_CONDITIONS).orElse(List.of())),
        DEFAULT.resync);
  }

  private static Optional<List<String>> names(Map<String, String> written, String key) {
    return Optional.ofNullable(written.get(key))
        .filter(list -> !list.isEmpty())
        .map(list -> List.of(list.split(",", -1)));
  }
}
