package dev.muster.deploy.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/// A Muster at an address that says nothing holds nobody up.
class DirectServerTest {
  /// Less than the patience of a call.
  private static final Duration SOON = Duration.ofSeconds(20);

  @Test
  void closing_ends_a_call_that_is_not_answered() throws Exception {
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var server =
          new DirectServer(
              "http://127.0.0.1:" + silent.getLocalPort(), Optional.empty(), Optional.empty());
      var call = CompletableFuture.supplyAsync(() -> server.get("/api/v1/server"));
      try (var _ = silent.accept()) { // the call is under way
        assertThat(CompletableFuture.runAsync(server::close)).succeedsWithin(SOON);
        assertThat(call)
            .failsWithin(SOON)
            .withThrowableOfType(ExecutionException.class)
            .withCauseInstanceOf(PageProblem.class);
      }
    }
  }
}
