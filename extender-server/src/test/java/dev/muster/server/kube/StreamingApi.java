package dev.muster.server.kube;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.muster.server.kube.client.ResourceKind;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/// An API server of namespaces alone, whose lists and watches fail in scripted ways.
public final class StreamingApi implements AutoCloseable {
  public final AtomicInteger lists = new AtomicInteger();
  public final AtomicInteger checks = new AtomicInteger();

  /// Queries of all lists.
  public final List<String> pages = new CopyOnWriteArrayList<>();

  /// Versions from which watches have begun.
  public final List<String> watches = new CopyOnWriteArrayList<>();

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<HttpExchange> open = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile List<String> names = List.of();
  private final AtomicInteger version = new AtomicInteger(5);
  private volatile String missed = "";
  private volatile byte[] instead = {};
  private volatile boolean checked = true;
  private volatile boolean begins = true;

  public StreamingApi() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  public KubernetesClient client() {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  public static ResourceKind<Namespace> kind(KubernetesClient client) {
    return ResourceKind.of("namespaces", client, "/api/v1/namespaces", Namespace.class);
  }

  /// Lists these namespaces from now on, without telling the watches.
  public void has(String... all) {
    names = List.of(all);
    version.incrementAndGet();
  }

  /// Answers lists with this text from now on, as a proxy without its API server.
  public void lists(String text) {
    lists(text.getBytes(StandardCharsets.UTF_8));
  }

  public void lists(byte[] text) {
    instead = text;
  }

  /// What a check finds: changes since the version; empty for none.
  public void missed(String changes) {
    missed = changes;
  }

  /// Whether checks are answered.
  public void checked(boolean does) {
    checked = does;
  }

  /// Whether watches begin. Otherwise the connection is accepted and silent, as that of a load
  /// balancer without its API server.
  public void watchesBegin(boolean doThey) {
    begins = doThey;
  }

  /// Sends these bytes on every open watch.
  public void send(String bytes) throws IOException {
    send(bytes.getBytes(StandardCharsets.UTF_8));
  }

  public void send(byte[] bytes) throws IOException {
    for (HttpExchange watch : open) {
      OutputStream body = watch.getResponseBody();
      body.write(bytes);
      body.flush();
    }
  }

  /// A line of a watch.
  public static String change(String type, String name, int version) {
    return "{\"type\":\"%s\",\"object\":%s}%n".formatted(type, namespace(name, version));
  }

  /// Ends every open watch.
  public void cut() {
    open.forEach(HttpExchange::close);
    open.clear();
  }

  private static String namespace(String name, int version) {
    return "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"%d\"}}"
        .formatted(name, version);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String query = exchange.getRequestURI().getQuery();
    if (!query.contains("watch=true")) {
      lists.incrementAndGet();
      pages.add(query);
      String items =
          names.stream().map(n -> namespace(n, version.get())).collect(Collectors.joining(","));
      whole(
          exchange,
          instead.length > 0
              ? instead
              : "{\"kind\":\"NamespaceList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%d\"},\"items\":[%s]}"
                  .formatted(version.get(), items)
                  .getBytes(StandardCharsets.UTF_8),
          200);
    } else if (query.contains("timeoutSeconds=1&")) {
      checks.incrementAndGet();
      whole(exchange, missed.getBytes(StandardCharsets.UTF_8), checked ? 200 : 500);
    } else if (begins) {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().flush();
      open.add(exchange);
      watches.add(query.replaceAll(".*resourceVersion=([0-9]*).*", "$1"));
    } else {
      hang(exchange);
    }
  }

  private void hang(HttpExchange exchange) {
    try (exchange) {
      closed.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void whole(HttpExchange exchange, byte[] body, int code) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
