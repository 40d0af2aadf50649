package dev.muster.simulator.run.record;

/// A cloud node, from when it was asked for until it left: so long it is paid.
///
/// @param node the index of the node in the fleet
/// @param askedMillis when it was asked for, in milliseconds since the start of the trace
/// @param joinedMillis when it was there; -1 if it was not when the run ended
/// @param leftMillis when it left, or the run ended
public record Rental(int node, long askedMillis, long joinedMillis, long leftMillis) {}
