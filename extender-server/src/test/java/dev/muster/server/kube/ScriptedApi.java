package dev.muster.server.kube;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// An API server that records every call and gives scripted answers.
public final class ScriptedApi implements AutoCloseable {
  public final List<Call> calls = Collections.synchronizedList(new ArrayList<>());
  private final List<String> queries = Collections.synchronizedList(new ArrayList<>());
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<InetSocketAddress> callers = ConcurrentHashMap.newKeySet();
  private final Set<InetSocketAddress> muted = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Function<Call, Reply> script = _ -> new Reply(200, "{}");

  public record Call(String method, String path, String contentType, String body) {
    public boolean is(String wanted, String part) {
      return method.equals(wanted) && path.contains(part);
    }
  }

  public record Reply(int code, String body) {
    public static Reply refused(int code, String message) {
      return new Reply(
          code, "{\"kind\":\"Status\",\"message\":\"%s\",\"code\":%d}".formatted(message, code));
    }

    /// The answer of the API server to a patch with the uid of an earlier object of that name.
    public static Reply replaced() {
      return new Reply(
          422,
          """
          {"kind":"Status","message":"metadata.uid: field is immutable","reason":"Invalid","code":422,
           "details":{"causes":[{"reason":"FieldValueInvalid","field":"metadata.uid"}]}}
          """);
    }

    /// The answer of the API server when a disruption budget forbids an eviction.
    public static Reply overBudget(String message) {
      return new Reply(
          429,
          """
          {"kind":"Status","message":"%s","reason":"TooManyRequests","code":429,
           "details":{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget b needs 2 healthy pods and has 2 currently"}]}}
          """
              .formatted(message));
    }
  }

  public ScriptedApi() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  public void answers(Function<Call, Reply> answers) {
    script = answers;
  }

  /// Answers nothing more on the connections that exist, as a router that forgot them. New ones
  /// work.
  public void muteConnections() {
    muted.addAll(callers);
  }

  public KubernetesClient client() {
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder().withMasterUrl(url).withDisableHostnameVerification().build())
        .build();
  }

  public List<Call> calls(String method, String part) {
    return List.copyOf(calls).stream().filter(call -> call.is(method, part)).toList();
  }

  /// The queries of all calls, "null" where there is none.
  public List<String> queries() {
    return List.copyOf(queries);
  }

  private void answer(HttpExchange exchange) throws IOException {
    callers.add(exchange.getRemoteAddress());
    try (exchange) {
      if (muted.contains(exchange.getRemoteAddress())) {
        closed.await();
        return;
      }
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String type = String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type"));
      Call call =
          new Call(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), type, body);
      queries.add(String.valueOf(exchange.getRequestURI().getQuery()));
      calls.add(call);
      Reply reply = script.apply(call);
      byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(reply.code(), bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
