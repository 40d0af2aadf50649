package dev.muster.core.gang;

/// A mark on a node that keeps pods away which do not tolerate it.
public record Taint(String key, String value, Effect effect) {
  /// What the taint does to a pod that does not tolerate it.
  public enum Effect {
    NO_SCHEDULE,
    PREFER_NO_SCHEDULE,
    NO_EXECUTE
  }

  /// Whether the taint forbids placement, and does not merely advise against it.
  public boolean forbids() {
    return effect != Effect.PREFER_NO_SCHEDULE;
  }

  @Override
  public String toString() {
    return value.isEmpty() ? key : key + "=" + value;
  }
}
