package dev.muster.simulator.pack;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// The packing policies by name.
public enum PackPolicy {
  /// Any node with room.
  RANDOM,
  /// The node with the least left.
  BEST_FIT,
  /// The node whose free resources are least like what is asked for.
  DOT_PRODUCT,
  /// GPUs in use, then idle GPUs of used nodes, then idle nodes.
  GPU_PACKING,
  /// Places pods with equal GPU requests together.
  GPU_CLUSTERING,
  /// Fragmentation gradient descent.
  FGD,
  /// The production search.
  MUSTER;

  /// The name by which it is chosen, for example `gpu-packing`.
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// The policy of this name.
  ///
  /// @throws IllegalArgumentException if there is none
  public static PackPolicy of(String key) {
    Optional<PackPolicy> found =
        Arrays.stream(values()).filter(policy -> policy.key().equals(key)).findFirst();
    return found.orElseThrow(() ->
        new IllegalArgumentException(
            "There is no packing policy \"%s\"; known are %s."
                .formatted(
                    key,
                    Arrays.stream(values())
                        .map(PackPolicy::key)
                        .collect(Collectors.joining(", ")))));
  }
}
