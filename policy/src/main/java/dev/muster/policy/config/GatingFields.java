package dev.muster.policy.config;

/// Changes that the webhook makes to pods. A namespace opts out with the label `muster.dev/gate` or
/// `muster.dev/hide-gpus` set to `disabled`.
///
/// @param gate add the scheduling gate to GPU pods and members of gangs
/// @param hideGpus set `NVIDIA_VISIBLE_DEVICES=none` on containers that request no GPU
public record GatingFields(boolean gate, boolean hideGpus) {}
