package dev.muster.deploy.e2e;

/// Many pods that were created at once and bound.
///
/// @param pods how many
/// @param creating nanoseconds from the first request to the last answer
/// @param binding nanoseconds from the first request until the last pod had a node
/// @param cpu processor time that was used meanwhile
/// @param written writes at the API server meanwhile
record PodSurge(int pods, long creating, long binding, CpuTime cpu, Requests written) {
  private static final double SECOND = 1e9;

  /// Pods created per second.
  double created() {
    return pods / (creating / SECOND);
  }

  /// Milliseconds from the last answer to the last binding.
  double tail() {
    return Math.max(0, binding - creating) / (SECOND / 1_000);
  }

  /// Pods per second from the first request to the last binding.
  double bound() {
    return pods / (binding / SECOND);
  }
}
