package dev.muster.simulator.experiment;

import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.baseline.PolicyName;
import dev.muster.simulator.baseline.Semantics;
import java.util.Optional;

/// Who decides in a run: the production brain or a classic policy.
///
/// @param name `muster`, or the name of a classic policy
/// @param classic the classic policy; absent for `muster`
/// @param placement where a classic policy takes GPUs from; absent: as it was published
public record Variant(String name, Optional<PolicyName> classic, Optional<NodeChoice> placement) {
  /// The production brain.
  public static final String MUSTER = "muster";

  /// The policy and placement of these names.
  ///
  /// @throws IllegalArgumentException if there is none, naming those that there are
  public static Variant of(String policy, Optional<String> placement) {
    Optional<NodeChoice> how = placement.map(Variant::placement);
    if (policy.equals(MUSTER)) {
      if (how.isPresent()) {
        throw new IllegalArgumentException(
            "Placement %s does not apply to the policy muster.".formatted(placement.get()));
      }
      return new Variant(policy, Optional.empty(), Optional.empty());
    }
    PolicyName classic =
        PolicyName.byKey(policy)
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "Unknown policy \"%s\"; known: muster, %s."
                        .formatted(policy, PolicyName.keys())));
    return new Variant(policy, Optional.of(classic), how);
  }

  private static NodeChoice placement(String key) {
    return NodeChoice.byKey(key)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "Unknown placement \"%s\"; known: %s.".formatted(key, NodeChoice.keys())));
  }

  /// The name of the placement.
  public String placementName() {
    return classic.map(this::used).map(NodeChoice::key).orElse(MUSTER);
  }

  NodeChoice used(PolicyName policy) {
    return placement.orElse(policy.placement());
  }

  /// The semantics of the classic policy, all else as given.
  Semantics semantics(Semantics given) {
    return given.with(used(classic.orElseThrow()));
  }
}
