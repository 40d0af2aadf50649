package dev.muster.server.kube;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A mock API server that keeps objects, lists and watches. It serves watches as WebSockets only; a
/// front before it makes them the streams of lines that an API server sends.
public final class MockApi implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MockApi.class);

  private final KubernetesMockServer server =
      new KubernetesMockServer(
          new Context(),
          new MockWebServer(),
          new HashMap<>(),
          new KubernetesCrudDispatcher(Collections.emptyList()),
          false);
  private final HttpClient http = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Integer> refused = new ConcurrentHashMap<>();
  private final Set<String> watched = ConcurrentHashMap.newKeySet();
  private final HttpServer front;
  private final String target;
  private final KubernetesClient client;

  public MockApi() {
    server.init();
    try (KubernetesClient direct = server.createClient()) {
      target = direct.getMasterUrl().toString().replaceAll("/$", "");
      front = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      front.createContext("/", this::forward);
      front.setExecutor(threads);
      front.start();
      var config =
          new ConfigBuilder(direct.getConfiguration())
              .withMasterUrl("http://127.0.0.1:" + front.getAddress().getPort())
              .build();
      client = new KubernetesClientBuilder().withConfig(config).build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public KubernetesClient client() {
    return client;
  }

  /// True once there was a watch of the objects at this path. Unlike an API server, the mock
  /// forgets what happens between a list and its watch.
  public boolean isWatched(String path) {
    return watched.contains(path);
  }

  /// Answers lists and watches of the objects at this path with this status from now on.
  public void refuse(String path, int code) {
    refused.put(path, code);
  }

  private void forward(HttpExchange exchange) throws IOException {
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    Integer code = refused.get(exchange.getRequestURI().getPath());
    try (exchange) {
      if (code != null) {
        exchange.sendResponseHeaders(code, -1);
      } else if (query.contains("watch=true")) {
        stream(exchange);
      } else {
        relay(exchange);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void relay(HttpExchange exchange) throws IOException, InterruptedException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    var request =
        HttpRequest.newBuilder(URI.create(target + exchange.getRequestURI()))
            .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body));
    Optional.ofNullable(exchange.getRequestHeaders().getFirst("Content-Type"))
        .ifPresent(type -> request.header("Content-Type", type));
    var answer = http.send(request.build(), BodyHandlers.ofByteArray());
    exchange.sendResponseHeaders(
        answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
    exchange.getResponseBody().write(answer.body());
  }

  private void stream(HttpExchange exchange) throws IOException, InterruptedException {
    Lines lines = new Lines();
    URI from = URI.create(target.replace("http", "ws") + exchange.getRequestURI());
    WebSocket socket = http.newWebSocketBuilder().buildAsync(from, lines).join();
    watched.add(exchange.getRequestURI().getPath());
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      out.flush();
      for (String line = lines.ready.take(); !line.isEmpty(); line = lines.ready.take()) {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } finally {
      socket.abort();
    }
  }

  /// The messages of a WebSocket; an empty one is its end.
  private static final class Lines implements WebSocket.Listener {
    private final BlockingQueue<String> ready = new LinkedBlockingQueue<>();
    private final StringBuilder part = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
      part.append(text);
      if (last) {
        ready.add(part.toString());
        part.setLength(0);
      }
      return WebSocket.Listener.super.onText(socket, text, last);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      ready.add("");
      return WebSocket.Listener.super.onClose(socket, code, reason);
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      ready.add("");
    }
  }

  /// Takes the server away; the client stays.
  public void shutdown() {
    front.stop(0);
    threads.shutdownNow();
    server.shutdown();
  }

  /// Closes the server and ignores a timeout. When a watch ends while an event is sent to it, its
  /// event loop and the sender wait for each other.
  @Override
  public void close() {
    client.close();
    front.stop(0);
    threads.shutdownNow();
    http.shutdownNow();
    try {
      server.destroy();
    } catch (IllegalStateException stuck) {
      if (!(stuck.getCause() instanceof TimeoutException)) {
        throw stuck;
      }
      log.warn("The mock API server is left behind.", stuck);
    }
  }
}
