package dev.muster.simulator.run;

/// The kinds of events of a run, in the order in which they happen at one instant.
public enum EventKind {
  /// A job reaches its end.
  COMPLETION,
  /// Pods are bound to the nodes that a reservation names, after the latency of the control plane.
  BINDING,
  /// A node fails, is taken out for maintenance, or returns.
  OUTAGE,
  /// A job is submitted.
  SUBMISSION,
  /// Cloud nodes join or leave, or the autoscaler examines the waiting jobs.
  SCALING,
  /// The scheduler decides without another event: a tick, or the pass of a policy.
  DECISION
}
