package dev.muster.core.gang;

/// A mark on a node that keeps away pods without a matching toleration.
public record Taint(String key, String value, Effect effect) {
  /// The effect of the taint on a pod that does not tolerate it.
  public enum Effect {
    NO_SCHEDULE,
    PREFER_NO_SCHEDULE,
    NO_EXECUTE
  }

  /// True if the taint forbids placement; false if it only advises against it.
  public boolean forbids() {
    return effect != Effect.PREFER_NO_SCHEDULE;
  }

  @Override
  public String toString() {
    return value.isEmpty() ? key : key + "=" + value;
  }
}
