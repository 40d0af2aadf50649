package dev.muster.policy.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/// What keeps the pods of a gang from kube-scheduler until the gang starts.
public enum PodHold {
  /// The start switch where it is known to work, else the gate.
  @JsonProperty("auto")
  AUTO,
  /// A scheduling gate on each pod.
  @JsonProperty("gate")
  GATE,
  /// The start switch of the gang: a native PodGroup that Muster creates.
  @JsonProperty("native")
  NATIVE,
  /// Nothing: the filter of the extender refuses the pods.
  @JsonProperty("filter")
  FILTER;

  /// Returns the word of the configuration.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
