package dev.muster.simulator.experiment;

import dev.muster.simulator.baseline.BaselineOptions;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.baseline.PolicyName;
import java.util.Optional;

/// The scheduling policy of a run: the production engine or a classic policy.
///
/// @param name `muster`, or the name of a classic policy
/// @param classic the classic policy; absent for `muster`
/// @param placement node choice of a classic policy; absent: as published
public record PolicyVariant(
    String name, Optional<PolicyName> classic, Optional<NodeChoice> placement) {
  /// The name of the production engine.
  public static final String MUSTER = "muster";

  /// Returns the variant with this policy and placement.
  ///
  /// @throws IllegalArgumentException if one of the names is unknown; the message lists the known
  ///   ones
  public static PolicyVariant of(String policy, Optional<String> placement) {
    Optional<NodeChoice> how = placement.map(PolicyVariant::placement);
    if (policy.equals(MUSTER)) {
      if (how.isPresent()) {
        throw new IllegalArgumentException(
            "Placement %s does not apply to the policy muster.".formatted(placement.get()));
      }
      return new PolicyVariant(policy, Optional.empty(), Optional.empty());
    }
    PolicyName classic =
        PolicyName.byKey(policy)
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "Unknown policy \"%s\"; known: muster, %s."
                        .formatted(policy, PolicyName.keys())));
    return new PolicyVariant(policy, Optional.of(classic), how);
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

  /// Returns the given semantics with the node choice of this classic policy.
  BaselineOptions options(BaselineOptions given) {
    return given.with(used(classic.orElseThrow()));
  }
}
