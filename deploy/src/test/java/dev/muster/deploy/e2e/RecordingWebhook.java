package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// A webhook that allows every request and records the pods of each entry of the configuration.
final class RecordingWebhook implements AutoCloseable {
  private static final Map<String, String> PATHS =
      Map.of("gate.pods.muster.dev", "gate", "hide-gpus.pods.muster.dev", "hide");

  private final Map<String, Set<String>> asked = new ConcurrentHashMap<>();
  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final String authority;

  /// Listens with the certificate of a folder.
  RecordingWebhook(Path folder) {
    var certificate =
        new PemKeyCertOptions()
            .setCertPath(folder.resolve("tls.crt").toString())
            .setKeyPath(folder.resolve("tls.key").toString());
    var options =
        new HttpServerOptions()
            .setHost("127.0.0.1")
            .setPort(0)
            .setSsl(true)
            .setKeyCertOptions(certificate);
    server = wait(vertx.createHttpServer(options).requestHandler(this::answer).listen());
    try {
      authority = Base64.getEncoder().encodeToString(Files.readAllBytes(folder.resolve("ca.crt")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> T wait(Future<T> future) {
    try {
      return future.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException("The webhook of the test does not listen", e);
    }
  }

  private void answer(HttpServerRequest request) {
    String entry = String.valueOf(request.path()).substring(1);
    request
        .body()
        .onSuccess(body -> {
          JsonObject asks = body.toJsonObject().getJsonObject("request");
          asked
              .computeIfAbsent(entry, _ -> ConcurrentHashMap.newKeySet())
              .add(asks.getString("name"));
          var response = new JsonObject().put("uid", asks.getString("uid")).put("allowed", true);
          var review =
              new JsonObject()
                  .put("apiVersion", "admission.k8s.io/v1")
                  .put("kind", "AdmissionReview");
          request
              .response()
              .putHeader("Content-Type", "application/json")
              .end(review.put("response", response).toBuffer());
        });
  }

  /// The shipped configuration, its entries aimed here.
  MutatingWebhookConfiguration aimed(MutatingWebhookConfiguration shipped) {
    var webhooks = shipped.getWebhooks().stream().map(this::aimed).toList();
    return new MutatingWebhookConfigurationBuilder(shipped).withWebhooks(webhooks).build();
  }

  private MutatingWebhook aimed(MutatingWebhook webhook) {
    String url =
        "https://127.0.0.1:%d/%s".formatted(server.actualPort(), PATHS.get(webhook.getName()));
    return webhook
        .edit()
        .editClientConfig()
        .withService(null)
        .withUrl(url)
        .withCaBundle(authority)
        .endClientConfig()
        .build();
  }

  /// A new configuration takes a moment: tries with the pod until it was asked about.
  void awaitCalledFor(KubernetesClient client, Pod pod) {
    await("webhook in force")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> {
          client.pods().inNamespace("default").resource(pod).dryRun(true).create();
          return asked("hide").contains(pod.getMetadata().getName());
        });
  }

  /// The pods that one entry asked about: `gate` or `hide`.
  Set<String> asked(String entry) {
    return Set.copyOf(asked.getOrDefault(entry, Set.of()));
  }

  @Override
  public void close() {
    wait(server.close());
    wait(vertx.close());
  }
}
