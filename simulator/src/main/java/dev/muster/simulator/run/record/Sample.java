package dev.muster.simulator.run.record;

/// The state of the fleet and the queue over some time, each figure the mean over that time.
///
/// @param fromMillis its beginning, in milliseconds since the start of the trace
/// @param toMillis its end
/// @param totalGpus GPUs of the nodes that are there
/// @param usedGpus GPUs in use
/// @param strandedGpus GPUs free while gangs wait
/// @param fragmentedGpus GPUs free on nodes that are partly in use
/// @param runningGangs gangs that run
/// @param waitingGangs gangs that wait
/// @param waitingGpus GPUs that waiting gangs ask for
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
