package dev.muster.deploy.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
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

  @Test
  void answer_that_stops_halfway_is_not_waited_for() throws Exception {
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var server =
            new DirectServer(
                "http://127.0.0.1:" + silent.getLocalPort(),
                Optional.empty(),
                Optional.empty(),
                Duration.ofSeconds(1))) {
      var call = CompletableFuture.supplyAsync(() -> server.get("/api/v1/server"));
      try (var connection = silent.accept()) {
        connection
            .getOutputStream()
            .write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}".getBytes(US_ASCII));
        assertThat(call)
            .failsWithin(SOON)
            .withThrowableOfType(ExecutionException.class)
            .withCauseInstanceOf(PageProblem.class);
      }
    }
  }
}
