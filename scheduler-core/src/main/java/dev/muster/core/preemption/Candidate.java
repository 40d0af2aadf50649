package dev.muster.core.preemption;

import dev.muster.core.gang.Victim;

/// A running gang that may be stopped, or the members above its minimum that an elastic one can
/// give back.
///
/// @param victim who would leave
/// @param ruling what the policy says of it
/// @param price what that costs
/// @param gpus GPUs that it holds
/// @param spare whether the gang runs on without these members
public record Candidate(
    Victim victim, Ruling.Allowed ruling, Price price, int gpus, boolean spare) {}
