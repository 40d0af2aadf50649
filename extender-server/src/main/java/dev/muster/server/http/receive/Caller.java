package dev.muster.server.http.receive;

/// One connection, with what is known about its owner.
///
/// A caller is known once it has asked about a pod that exists and that Muster places. Such a
/// question shows that the caller reads the cluster, as kube-scheduler does. Known callers come
/// first when work, memory or connections are short.
public final class Caller {
  private volatile boolean known;
  private volatile int received; // requests received as a whole and not yet answered
  private volatile int arriving; // requests of which a part is missing

  /// Records a question about a pod that exists.
  public void recognize() {
    known = true;
  }

  /// True if the caller has asked about a pod that exists.
  public boolean isKnown() {
    return known;
  }

  /// True if the caller waits for an answer, or is a known caller with a call under way.
  boolean isServed() {
    return received > 0 || (known && arriving > 0);
  }

  // A connection has one event loop, so these have one writer.
  @SuppressWarnings("NonAtomicVolatileUpdate")
  void begin() {
    arriving++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate")
  void receive() {
    arriving--;
    received++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate")
  void end(boolean whole) {
    if (whole) {
      received--;
    } else {
      arriving--;
    }
  }
}
