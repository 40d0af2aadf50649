package dev.muster.deploy.e2e;

/// One measured start of some pods, in values of [System#nanoTime].
///
/// @param asked before the first pod was sent
/// @param created when the API server had answered for the last
/// @param told when the first nomination was seen, or the first gate gone; 0 without Muster
/// @param ungated when the last pod had no gate
/// @param bound when the last pod had a node
record LapTimer(long asked, long created, long told, long ungated, long bound) {
  private static final double MILLI = 1e6;

  /// Milliseconds from the last member's creation to the last binding.
  double tail() {
    return Math.max(0, bound - created) / MILLI;
  }

  /// Milliseconds from the first request to the last binding.
  double whole() {
    return (bound - asked) / MILLI;
  }

  /// Milliseconds in which the pods were created.
  double creating() {
    return (created - asked) / MILLI;
  }

  /// Milliseconds from the last creation to the first nomination: seen, decided, recorded.
  double deciding() {
    return (told - created) / MILLI;
  }

  /// Milliseconds from the first nomination until no pod is gated.
  double starting() {
    return (ungated - told) / MILLI;
  }

  /// Milliseconds from the last gate's removal to the last binding.
  double binding() {
    return (bound - ungated) / MILLI;
  }
}
