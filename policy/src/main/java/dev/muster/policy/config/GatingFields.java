package dev.muster.policy.config;

import com.fasterxml.jackson.annotation.JsonProperty;

/// Changes that the webhook makes to pods. A namespace opts out with the label `muster.dev/gate` or
/// `muster.dev/hide-gpus` set to `disabled`.
///
/// @param gate add the scheduling gate to GPU pods and members of gangs
/// @param hideGpus set `NVIDIA_VISIBLE_DEVICES=none` on containers that request no GPU
/// @param ownVisibleDevices what happens if a container sets the variable itself
public record GatingFields(boolean gate, boolean hideGpus, OwnVisibleDevices ownVisibleDevices) {
  /// What happens to a value of `NVIDIA_VISIBLE_DEVICES` that a container sets itself.
  public enum OwnVisibleDevices {
    /// The value becomes `none`, or is removed if the container requests GPUs.
    @JsonProperty("Overwrite")
    OVERWRITE,
    /// The pod is refused.
    @JsonProperty("Refuse")
    REFUSE,
    /// The value stays.
    @JsonProperty("Allow")
    ALLOW
  }
}
