package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.muster.server.kube.MockApi;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.ResourceKind;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ResourceWatchTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final Instant LATE = NOW.plus(StalledWatchDetector.PATIENCE);
  private static final ApiCalls.Answer NOTHING = new ApiCalls.Answer(200, "");
  private static final ApiCalls.Answer SOMETHING = new ApiCalls.Answer(200, "{}");
  private static final ApiCalls.Answer NONE = new ApiCalls.Answer(0, "away");

  @AutoClose private final MockApi api = new MockApi();
  private final KubernetesClient client = api.client();
  private final TrimmedStore<Namespace> store = TrimmedStore.of();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();
  private final AtomicInteger started = new AtomicInteger();
  private final List<String> asked = new ArrayList<>();
  private ApiCalls.Answer answer = NOTHING;

  @AutoClose private final ResourceWatch<Namespace> namespaces = watched("a", "bad", "c");

  private final class Choosy implements ResourceWatch.Sink<Namespace> {
    @Override
    public void seen(String key, Namespace object) {
      if (key.equals("bad")) {
        throw new ArithmeticException("on purpose");
      }
      seen.add(key);
    }

    @Override
    public void gone(String key) {
      if (key.equals("bad")) {
        throw new ArithmeticException("on purpose");
      }
      gone.add(key);
    }
  }

  private ResourceKind<Namespace> kind() {
    return new ResourceKind<>(
        "namespaces",
        () -> {
          started.incrementAndGet();
          return client.namespaces().runnableInformer(0);
        },
        version -> {
          asked.add(version);
          return answer;
        });
  }

  private ResourceWatch<Namespace> watched(String... names) {
    for (String name : names) {
      client.namespaces().resource(namespace(name)).create();
    }
    var watch = new ResourceWatch<>(kind(), store, new Choosy());
    await().until(() -> watch.isSynced() && seen.containsAll(Set.of("a", "c")));
    seen.clear();
    return watch;
  }

  private static Namespace namespace(String name) {
    return new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build();
  }

  /// Looks at it, once it is up, when it has been silent for as long as it may be.
  private void listenLate() {
    listen(NOW);
    listen(LATE);
  }

  private void listen(Instant now) {
    await().until(() -> !namespaces.isLost());
    namespaces.listen(now);
  }

  @Test
  void malformed_object_hides_no_other() {
    namespaces.reconcile();

    assertThat(seen).containsExactlyInAnyOrder("a", "c");
  }

  @Test
  void object_that_cannot_be_removed_blocks_no_other() {
    namespaces.close(true);

    assertThat(gone).containsExactlyInAnyOrder("a", "c");
  }

  @Test
  void silent_watch_without_missed_changes_continues() {
    listenLate();

    assertThat(asked).hasSize(1);
    assertThat(started).hasValue(1);
  }

  @Test
  void silent_watch_with_missed_changes_is_restarted() {
    answer = SOMETHING;

    listenLate();

    assertThat(started).hasValue(2);
    await().until(() -> namespaces.isSynced() && !namespaces.isLost());
  }

  @Test
  void silent_watch_with_unknown_changes_is_checked_again() {
    answer = NONE;
    listenLate();
    answer = SOMETHING;

    listen(LATE.plusSeconds(5));

    assertThat(asked).hasSize(2);
    assertThat(started).hasValue(2);
  }

  @Test
  void delivered_changes_are_not_replayed() {
    namespaces.catchUp();

    assertThat(seen).isEmpty();
  }

  /// At startup, events of all listed objects are still to come.
  @Test
  void replayed_changes_are_not_delivered_again() {
    synchronized (namespaces) { // notices wait for it
      client.namespaces().resource(namespace("late")).create();
      await().until(() -> store.get("late") != null);
      namespaces.catchUp();
      assertThat(seen).containsExactly("late");
      seen.clear();
    }
    client.namespaces().resource(namespace("last")).create();

    await().until(() -> seen.contains("last"));
    assertThat(seen).containsExactly("last");
  }

  @Test
  void undelivered_changes_are_replayed() {
    var changed = namespace("a");
    changed.getMetadata().setResourceVersion("changed");
    store.put("a", changed);
    store.remove("c");

    namespaces.catchUp();

    assertThat(seen).containsExactly("a");
    assertThat(gone).containsExactly("c");
  }

  @Test
  void objects_watched_elsewhere_are_replayed() {
    namespaces.follow(kind());
    await().until(() -> namespaces.isSynced() && !namespaces.isLost());

    namespaces.catchUp();

    assertThat(seen).containsExactlyInAnyOrder("a", "c");
  }

  /// Models a load balancer without its API server: it accepts the connection and is silent.
  @Test
  void watch_that_never_begins_is_restarted_once_the_api_server_answers() throws IOException {
    CountDownLatch over = new CountDownLatch(1);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> listOrNothing(exchange, over));
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    AtomicInteger informers = new AtomicInteger();
    try (KubernetesClient other = new KubernetesClientBuilder().withConfig(config).build()) {
      Supplier<SharedIndexInformer<Namespace>> informer =
          () -> {
            informers.incrementAndGet();
            return other.namespaces().runnableInformer(0);
          };
      try (var watch =
          new ResourceWatch<>(
              new ResourceKind<>("namespaces", informer, _ -> answer), store, new Choosy())) {
        await().until(watch::isSynced);
        watch.listen(NOW);
        answer = NONE;
        watch.listen(LATE);
        assertThat(informers).hasValue(1);
        answer = NOTHING;
        watch.listen(LATE.plusSeconds(5));
        assertThat(informers).hasValue(2);
        await().until(watch::isSynced);
        watch.listen(LATE.plusSeconds(10));
        assertThat(informers).hasValue(2);
      }
    } finally {
      over.countDown();
      server.stop(0);
    }
  }

  private static void listOrNothing(HttpExchange exchange, CountDownLatch over) throws IOException {
    if (exchange.getRequestURI().getQuery().contains("watch=true")) {
      try {
        over.await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
      exchange.close();
      return;
    }
    byte[] list =
        "{\"kind\":\"NamespaceList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[]}"
            .getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, list.length);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(list);
    }
  }
}
