package dev.muster.server.kube.client;

import dev.muster.policy.config.OwnerEntry;
import dev.muster.policy.config.PodHold;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Settings for reading the cluster.
///
/// @param accelerators resource names that count as GPUs
/// @param schedulerNames profiles of kube-scheduler that call Muster
/// @param faultConditions node conditions that make a node unfit while they are True
/// @param resync interval of the comparison of all objects with the facts passed to the engine
/// @param owners further kinds of owners whose pods are one gang
/// @param hold what keeps the pods of gangs from kube-scheduler until they start
public record KubeSettings(
    List<String> accelerators,
    Set<String> schedulerNames,
    Set<String> faultConditions,
    Duration resync,
    List<OwnerEntry> owners,
    PodHold hold) {
  private static final String ACCELERATORS = "accelerators";
  private static final String SCHEDULER_NAMES = "schedulerNames";
  private static final String FAULT_CONDITIONS = "faultConditions";
  private static final String OWNERS = "owners";

  /// Default settings: NVIDIA GPUs, the default scheduler, no further fault conditions, a resync
  /// every five minutes.
  public static final KubeSettings DEFAULT =
      new KubeSettings(
          List.of("nvidia.com/gpu"),
          Set.of(WellKnownNames.DEFAULT_SCHEDULER),
          Set.of(),
          Duration.ofMinutes(5));

  /// Creates settings without further kinds of owners, with gates.
  public KubeSettings(
      List<String> accelerators,
      Set<String> schedulerNames,
      Set<String> faultConditions,
      Duration resync) {
    this(accelerators, schedulerNames, faultConditions, resync, List.of(), PodHold.GATE);
  }

  public KubeSettings {
    owners = List.copyOf(owners);
    accelerators = List.copyOf(accelerators);
    schedulerNames = Set.copyOf(schedulerNames);
    faultConditions = Set.copyOf(faultConditions);
    if (!resync.isPositive()) {
      throw new IllegalArgumentException(
          "The resync interval is %s; it must be positive, such as 5m.".formatted(resync));
    }
  }

  /// Returns the settings that a reader of a journal needs to read objects of the cluster alike.
  public Map<String, String> written() {
    Map<String, String> written = new TreeMap<>();
    written.put(ACCELERATORS, String.join(",", accelerators));
    written.put(SCHEDULER_NAMES, String.join(",", new TreeSet<>(schedulerNames)));
    written.put(FAULT_CONDITIONS, String.join(",", new TreeSet<>(faultConditions)));
    if (!owners.isEmpty()) {
      written.put(OWNERS, owners.stream().map(OwnerEntry::toText).collect(Collectors.joining(",")));
    }
    return written;
  }

  /// Restores settings from the output of [#written]; defaults for absent entries.
  public static KubeSettings read(Map<String, String> written) {
    return new KubeSettings(
        names(written, ACCELERATORS).orElse(DEFAULT.accelerators),
        names(written, SCHEDULER_NAMES)
            .<Set<String>>map(Set::copyOf)
            .orElse(DEFAULT.schedulerNames),
        Set.copyOf(names(written, FAULT_CONDITIONS).orElse(List.of())),
        DEFAULT.resync,
        names(written, OWNERS).orElse(List.of()).stream().map(OwnerEntry::ofText).toList(),
        DEFAULT.hold);
  }

  private static Optional<List<String>> names(Map<String, String> written, String key) {
    return Optional.ofNullable(written.get(key))
        .filter(list -> !list.isEmpty())
        .map(list -> List.of(list.split(",", -1)));
  }
}
