package dev.muster.core.gang;

import java.util.Optional;

/// The taints that a pod tolerates.
///
/// @param key the taint's key; empty tolerates every key
/// @param value the taint's value; absent tolerates every value (operator `Exists`)
/// @param effect the taint's effect; absent tolerates every effect
public record Toleration(
    Optional<String> key, Optional<String> value, Optional<Taint.Effect> effect) {
  /// True if the pod tolerates the taint.
  public boolean tolerates(Taint taint) {
    return key.map(taint.key()::equals).orElse(true)
        && value.map(taint.value()::equals).orElse(true)
        && effect.map(taint.effect()::equals).orElse(true);
  }
}
