package dev.muster.simulator.run;

/// The kinds of events of a run, in the order in which they happen at one instant.
public enum EventKind {
  /// A job has run to its end.
  COMPLETION,
  /// Pods are bound to the nodes that a reservation names, after the latency of the control plane.
  BINDING,
  /// A node fails, is taken out for maintenance, or comes back.
  OUTAGE,
  /// A job is submitted.
  SUBMISSION,
  /// Cloud nodes join or leave, or the autoscaler looks at the jobs that wait.
  SCALING,
  /// The scheduler decides without anything else happening: a tick, or the pass of a policy.
  DECISION
}
