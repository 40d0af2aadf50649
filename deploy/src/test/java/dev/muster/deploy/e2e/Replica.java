package dev.muster.deploy.e2e;

import java.net.URI;

/**
 * Another Muster beside the first.
 *
 * @param port where it listens
 */
record Replica(Child process, int port) implements AutoCloseable {
  boolean isReady() {
    return Stage.isReady(URI.create("http://127.0.0.1:" + port));
  }

  @Override
  public void close() {
    process.kill();
  }
}
