package dev.muster.simulator.run.record;

/// The paid period of a cloud node, from its request until it left.
///
/// @param node index of the node in the fleet
/// @param askedMillis time of the request, in milliseconds since the start of the trace
/// @param joinedMillis time at which it joined; -1 if it had not joined at the end of the run
/// @param leftMillis time at which it left, or the run ended
public record Rental(int node, long askedMillis, long joinedMillis, long leftMillis) {}
