package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Callers of `/metrics` that wait at one time share one rendering.
@Timeout(60)
class MetricsFloodTest extends HttpFrontScene {
  private static final int CALLERS = 50;

  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger rendered = new AtomicInteger();
  private final AtomicInteger received = new AtomicInteger();

  MetricsFloodTest() throws IOException {}

  @Override
  HttpFront start() throws IOException {
    return HttpFront.start(
        parts(),
        new ListenOptions("127.0.0.1", 0, MAX_BODY, Optional.empty()),
        router ->
            router
                .route("/metrics")
                .handler(ctx -> {
                  ctx.next();
                  received.incrementAndGet(); // it waits now
                }));
  }

  private void render() {
    rendered.incrementAndGet();
    try {
      open.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private CompletableFuture<HttpResponse<String>> ask() {
    return client.sendAsync(request("/metrics").build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void callers_that_come_during_a_rendering_share_the_next_one() {
    metrics.beforeScrape(this::render);
    CompletableFuture<HttpResponse<String>> first = ask();
    await().until(() -> rendered.get() == 1);
    List<CompletableFuture<HttpResponse<String>>> others =
        Stream.generate(this::ask).limit(CALLERS).toList();
    await().until(() -> received.get() == CALLERS + 1);
    open.countDown();

    assertThat(first.join().statusCode()).isEqualTo(200);
    assertThat(others).allMatch(other -> other.join().statusCode() == 200);
    assertThat(rendered).hasValue(2);
  }
}
