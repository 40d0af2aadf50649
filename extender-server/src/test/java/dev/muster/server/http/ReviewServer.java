package dev.muster.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// An API server on loopback that answers TokenReviews and SubjectAccessReviews by two tables.
final class ReviewServer implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Map<String, String> users;
  private final Map<String, Set<String>> rights;
  private final HttpServer server;

  /// The questions in the order of their arrival: `token` or `user group namespace resource`.
  final List<String> asked = new CopyOnWriteArrayList<>();

  /// The audiences of each TokenReview, as JSON; empty if none is asked for.
  final List<String> audiences = new CopyOnWriteArrayList<>();

  /// The status of all answers; 201 when the server is well.
  final AtomicInteger status = new AtomicInteger(201);

  /// The most reviews that were under way at one time.
  final AtomicInteger most = new AtomicInteger();

  private final AtomicInteger underWay = new AtomicInteger();
  private volatile CountDownLatch gate = new CountDownLatch(0);

  /// @param users user of each valid token
  /// @param rights what each user may list, as `group namespace resource`
  ReviewServer(Map<String, String> users, Map<String, Set<String>> rights) throws IOException {
    this.users = users;
    this.rights = rights;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::count);
    server.start();
  }

  /// Keeps all further answers back until the latch is open.
  CountDownLatch hold() {
    gate = new CountDownLatch(1);
    return gate;
  }

  private void count(HttpExchange exchange) throws IOException {
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    try {
      gate.await();
      answer(exchange);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      underWay.decrementAndGet();
    }
  }

  KubernetesClient client() {
    String address = "http://127.0.0.1:" + server.getAddress().getPort();
    return new KubernetesClientBuilder()
        .withConfig(new ConfigBuilder(Config.empty()).withMasterUrl(address).build())
        .build();
  }

  private void answer(HttpExchange exchange) throws IOException {
    ObjectNode review = (ObjectNode) MAPPER.readTree(exchange.getRequestBody());
    JsonNode spec = review.path("spec");
    ObjectNode result = review.putObject("status");
    if (exchange.getRequestURI().getPath().endsWith("/tokenreviews")) {
      String token = spec.path("token").asText();
      asked.add(token);
      audiences.add(spec.path("audiences").toString());
      String user = users.get(token);
      result.put("authenticated", user != null);
      if (user != null) {
        ObjectNode known = result.putObject("user").put("username", user).put("uid", "uid-" + user);
        known.putArray("groups").add("system:authenticated");
        known
            .putObject("extra")
            .putArray("authentication.kubernetes.io/credential-id")
            .add("JTI=" + token);
      }
    } else {
      JsonNode wanted = spec.path("resourceAttributes");
      String user = spec.path("user").asText();
      String right =
          "%s %s %s"
              .formatted(
                  wanted.path("group").asText(),
                  wanted.path("namespace").asText(),
                  wanted.path("resource").asText());
      asked.add(user + " " + right);
      boolean known = spec.path("groups").toString().equals("[\"system:authenticated\"]");
      boolean lists = wanted.path("verb").asText().equals("list");
      result.put("allowed", known && lists && rights.getOrDefault(user, Set.of()).contains(right));
    }
    byte[] body = review.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status.get(), body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
