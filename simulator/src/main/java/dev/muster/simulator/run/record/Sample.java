package dev.muster.simulator.run.record;

/// The state of the fleet and the queue over a period; each figure is the mean over that period.
///
/// @param fromMillis start, in milliseconds since the start of the trace
/// @param toMillis end
/// @param totalGpus GPUs of the nodes that are present
/// @param usedGpus GPUs in use
/// @param strandedGpus GPUs free while gangs wait
/// @param fragmentedGpus GPUs free on nodes that are partly in use
/// @param runningGangs gangs that run
/// @param waitingGangs gangs that wait
/// @param waitingGpus GPUs that waiting gangs request
public record Sample(
    long fromMillis,
    long toMillis,
    double totalGpus,
    double usedGpus,
    double strandedGpus,
    double fragmentedGpus,
    double runningGangs,
    double waitingGangs,
    double waitingGpus) {}
