package dev.muster.deploy.e2e;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/// Ports for the servers of tests.
///
/// They are below those that a system gives to clients (32,768 in Linux). Such a port may be taken
/// by any connection before its server listens.
final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int COUNT = 10_000;

  private static final AtomicInteger last =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private FreePorts() {}

  /// Returns a port on which nobody listens, another one each time.
  static int next() {
    for (int i = 0; i < COUNT; i++) {
      int port = FIRST + Math.floorMod(last.incrementAndGet(), COUNT);
      try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return port;
      } catch (IOException _) {
        // in use
      }
    }
    throw new IllegalStateException("All ports from %d on are in use.".formatted(FIRST));
  }
}
