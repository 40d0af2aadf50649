package dev.muster.server.http.receive;

import java.util.HashMap;
import java.util.Map;

/// Permits that many addresses share. An address gets at most as many as it leaves free, so half of
/// them if no other address asks. Other addresses always find some, however much one asks (dynamic
/// thresholds, A. Choudhury and E. Hahne, 1998).
public final class FairPermits {
  private final Map<String, Integer> held = new HashMap<>();
  private final int most;
  private int taken;

  /// @param most number of permits
  public FairPermits(int most) {
    this.most = most;
  }

  /// Takes a permit and returns true if the address may have one more.
  public synchronized boolean tryAcquire(String address) {
    if (held.getOrDefault(address, 0) >= most - taken) {
      return false;
    }
    held.merge(address, 1, Integer::sum);
    taken++;
    return true;
  }

  /// Returns a permit of the address.
  public synchronized void release(String address) {
    taken--;
    held.computeIfPresent(address, (_, own) -> own > 1 ? own - 1 : null);
  }
}
