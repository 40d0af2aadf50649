package dev.muster.deploy.e2e;

import java.io.IOException;
import java.net.URI;

/// A second instance of Muster.
///
/// @param files what it was started with
record Replica(ChildProcess process, Installation files) implements AutoCloseable {
  boolean isReady() {
    return TestStage.isReady(URI.create("http://127.0.0.1:" + files.http()));
  }

  /// True if it decides, or could take over at once.
  boolean isAvailable() {
    return TestStage.answers(URI.create("http://127.0.0.1:" + files.http()), "/available");
  }

  /// Stops it, so that it gives its Lease back.
  @Override
  public void close() throws IOException {
    process.stop();
    files.delete();
  }
}
