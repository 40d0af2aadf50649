package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.Kubeconfig;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.Optional;

/// A Muster that is reached through the API server of its cluster, by the proxy of Services.
///
/// The proxy removes the header `Authorization`. So the token of the kubeconfig goes in a second
/// header, and Muster asks the API server whose it is. A kubeconfig with a client certificate has
/// no token. Then a short one is requested, of Muster's own ServiceAccount and for these pages
/// alone. Only admins of Muster's namespace can do that.
final class ClusterServer implements PageSource {
  private static final int SECONDS = 3_600;

  private final KubernetesClient client;
  private final ApiCalls api;
  private final ServiceName service;
  private final String token;

  private ClusterServer(KubernetesClient client, ServiceName service) {
    this.client = client;
    this.api = new ApiCalls(client);
    this.service = service;
    this.token = token(client.getConfiguration()).orElseGet(this::requested);
  }

  /// Connects with the kubeconfig.
  static ClusterServer open(Optional<Path> kubeconfig, ServiceName service) {
    KubernetesClient client = Kubeconfig.client(kubeconfig);
    try {
      return new ClusterServer(client, service);
    } catch (RuntimeException problem) {
      client.close();
      throw problem;
    }
  }

  private static Optional<String> token(Config config) {
    return Optional.ofNullable(config.getOauthToken())
        .or(() -> Optional.ofNullable(config.getAutoOAuthToken()))
        .filter(text -> !text.isBlank());
  }

  private String requested() {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
    ObjectNode spec = request.putObject("spec").put("expirationSeconds", SECONDS);
    spec.putArray("audiences").add(PageAccess.AUDIENCE);
    ApiCalls.Answer answer = api.post(service.tokenPath(), request);
    if (answer.isGood()) {
      return answer.json().at("/status/token").asText();
    }
    throw new PageProblem(
        answer.code(),
        "The kubeconfig has no token, and none can be requested: %s. Sign in with a token, for example of kubectl create token."
            .formatted(answer.problem()));
  }

  @Override
  public JsonNode get(String path) {
    ApiCalls.Answer answer =
        api.get(service.proxyPath() + path, PageAccess.FORWARDED, "Bearer " + token);
    if (answer.isGood()) {
      return PageProblem.checked(answer.json(), path, "The Service " + service);
    }
    throw new PageProblem(answer.code(), problem(answer));
  }

  private String problem(ApiCalls.Answer answer) {
    String error = answer.json().path("error").asText();
    if (!error.isEmpty()) { // of Muster itself
      return error;
    }
    return switch (answer.code()) {
      case 403 ->
          "You may not reach Muster through the API server. docs/command-line.md has the two commands with which an admin allows it. %s"
              .formatted(answer.problem());
      case 404 ->
          "There is no Service %s. --service names another, as NAMESPACE/NAME.".formatted(service);
      default -> answer.problem();
    };
  }

  @Override
  public Optional<String> namespace() {
    String namespace = client.getConfiguration().getNamespace();
    return Optional.of(namespace == null || namespace.isBlank() ? "default" : namespace);
  }

  @Override
  public Optional<WorkloadPods> workloads() {
    return Optional.of(new WorkloadPods(api));
  }

  @Override
  public void close() {
    client.close();
  }
}
