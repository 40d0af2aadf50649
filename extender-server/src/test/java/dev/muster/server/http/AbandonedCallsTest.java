package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A call whose caller has left is dropped with its body.
@Timeout(60)
class AbandonedCallsTest extends HttpFrontScene {
  private static final int LEFT = 20;

  private CountDownLatch open = new CountDownLatch(0);
  private final AtomicInteger read = new AtomicInteger();

  AbandonedCallsTest() throws IOException {}

  @Override
  HttpDependencies parts() {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> labels());
    return new HttpDependencies(
        image::get, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, informers::get);
  }

  /// Counts the reviews that are read, and stops the thread that reads them.
  private Map<String, String> labels() {
    read.incrementAndGet();
    try {
      open.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return Map.of();
  }

  private Socket send(int length) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port());
    socket.setSoTimeout(30_000);
    String review =
        "{\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r\",\"operation\":\"CREATE\",\"namespace\":\"ml\",\"object\":{\"metadata\":{\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"train\"},\"annotations\":{\"a\":\"%s\"}},\"spec\":{\"containers\":[]}}}}"
            .formatted("x".repeat(length));
    socket
        .getOutputStream()
        .write(
            "POST /webhook/gate/pods HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(review.length(), review)
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String answer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] answer = new byte[4096];
    return new String(answer, 0, Math.max(0, in.read(answer)), StandardCharsets.US_ASCII);
  }

  private long broken() throws Exception {
    return get("/metrics")
        .body()
        .lines()
        .filter(line ->
            line.startsWith(
                "muster_http_request_duration_seconds_count{endpoint=\"pods\",outcome=\"broken\"}"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf("} ") + 2)))
        .sum();
  }

  @Test
  void call_is_dropped_when_its_caller_leaves() throws Exception {
    open = new CountDownLatch(1);
    try (Socket first = send(100_000)) {
      while (read.get() == 0) {
        HostileConnections.pause(10);
      }
      for (int i = 0; i < LEFT; i++) {
        send(100_000).close();
      }
      while (broken() < LEFT) {
        HostileConnections.pause(10);
      }
      open.countDown();
      assertThat(answer(first)).startsWith("HTTP/1.1 200 ");
    }
    try (Socket last = send(100_000)) {
      assertThat(answer(last)).startsWith("HTTP/1.1 200 ");
    }
    assertThat(read).hasValue(2);
  }
}
