package dev.muster.deploy.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.muster.server.kube.client.ApiCalls;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The pod of a workload is found by the owners that pods state, at an API server on loopback.
class WorkloadPodsTest {
  private static final String PODS = "/api/v1/namespaces/ml/pods?limit=500";

  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<String> accepted = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private final KubernetesClient client;

  WorkloadPodsTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    String address = "http://127.0.0.1:" + server.getAddress().getPort();
    client =
        new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder(Config.empty()).withMasterUrl(address).build())
            .build();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().toString();
    asked.add(path);
    accepted.add(exchange.getRequestHeaders().getFirst("Accept"));
    byte[] body = answers.getOrDefault(path, "{}").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answers.containsKey(path) ? 200 : 404, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @AfterEach
  void close() {
    client.close();
    server.stop(0);
  }

  private static String pods(String next, String pod, String apiVersion, String owner) {
    return "{\"metadata\":{\"continue\":\"%s\"},\"items\":[{\"metadata\":{\"name\":\"%s\",\"ownerReferences\":[{\"controller\":true,\"apiVersion\":\"%s\",\"kind\":\"Job\",\"name\":\"%s\"}]}}]}"
        .formatted(next, pod, apiVersion, owner);
  }

  private WorkloadPods pods() {
    return new WorkloadPods(new ApiCalls(client));
  }

  @Test
  void pod_is_found_on_a_later_page_of_a_large_namespace() {
    answers.put(PODS, pods("a b", "other-0", "batch/v1", "other"));
    answers.put(PODS + "&continue=a+b", pods("", "llama-0", "batch/v1", "llama"));

    assertThat(pods().podOf("ml", new WorkloadPods.Name("job", "llama"))).contains("llama-0");
    assertThat(accepted).allMatch(type -> type.contains("as=PartialObjectMetadataList"));
  }

  @Test
  void owner_that_a_pod_states_chooses_no_call() {
    for (String owner :
        List.of(
            "v1/../../apis/batch/v1 llama",
            "../x llama",
            "batch/v1?watch=true llama",
            "batch/v1 ../../kube-system/secrets/x",
            "batch/v1 x?y=z",
            "batch/v1 %2e%2e")) {
      String[] parts = owner.split(" ", -1);
      answers.put(PODS, pods("", "p", parts[0], parts[1]));

      assertThat(pods().podOf("ml", new WorkloadPods.Name("jobset", "llama"))).isEmpty();
    }
    assertThat(asked).containsOnly(PODS);
  }

  @Test
  void owner_of_the_owner_is_found() {
    answers.put(PODS, pods("", "llama-w-0", "batch/v1", "llama-w"));
    answers.put("/apis/batch/v1", "{\"resources\":[{\"name\":\"jobs\",\"kind\":\"Job\"}]}");
    answers.put(
        "/apis/batch/v1/namespaces/ml/jobs/llama-w",
        "{\"metadata\":{\"ownerReferences\":[{\"controller\":true,\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"name\":\"llama\"}]}}");

    assertThat(pods().podOf("ml", new WorkloadPods.Name("jobset", "llama"))).contains("llama-w-0");
  }
}
