package dev.muster.deploy.live;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.ApiErrorText;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.net.HttpURLConnection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Creates objects in a cluster: all of them, or none.
final class ObjectCreation {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();

  private final KubernetesClient client;
  private final String namespace;
  private final Deque<Created> created = new ArrayDeque<>();

  private record Created(String shown, Resource<GenericKubernetesResource> resource) {}

  ObjectCreation(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /// Creates the objects in order. If one is refused, those before it are deleted again.
  ///
  /// @throws IllegalStateException with the object, the answer of the API server and what is left
  void all(List<ObjectNode> objects) {
    for (ObjectNode object : objects) {
      String shown = shown(object);
      try {
        Resource<GenericKubernetesResource> resource = resource(object);
        resource.create();
        created.push(new Created(shown, resource));
      } catch (KubernetesClientException refused) {
        throw new IllegalStateException(
            "%s: %s%s".formatted(shown, reason(object, refused), undone()), refused);
      }
    }
  }

  private Resource<GenericKubernetesResource> resource(ObjectNode object) {
    GenericKubernetesResource generic =
        Objects.requireNonNull(YAML.convertValue(object, GenericKubernetesResource.class));
    return client
        .genericKubernetesResources(generic.getApiVersion(), generic.getKind())
        .inNamespace(namespace)
        .resource(generic);
  }

  private String reason(ObjectNode object, KubernetesClientException refused) {
    if (refused.getCode() == HttpURLConnection.HTTP_CONFLICT) {
      return "exists already in the namespace %s. Choose another --name.".formatted(namespace);
    }
    if (isUnserved(refused)) {
      return "the cluster does not serve %s. Install its controller, or use --kind job."
          .formatted(object.path("apiVersion").asText());
    }
    return ApiErrorText.brief(refused) + ".";
  }

  /// True if the API server does not know the kind. The client finds that out by itself.
  private static boolean isUnserved(KubernetesClientException refused) {
    @Nullable String message = refused.getMessage();
    return refused.getCode() <= 0
        && message != null
        && message.contains("Could not find the metadata");
  }

  /// Deletes what was created, and says so.
  private String undone() {
    StringBuilder said = new StringBuilder();
    while (!created.isEmpty()) {
      Created each = created.pop();
      try {
        each.resource().delete();
        said.append(" Deleted again: ").append(each.shown()).append('.');
      } catch (KubernetesClientException failed) {
        said.append(
            " Left, since it could not be deleted: %s (%s)."
                .formatted(each.shown(), ApiErrorText.brief(failed)));
      }
    }
    return said.isEmpty() ? " Nothing was created." : said.toString();
  }

  /// Returns the object as kubectl names it, such as `job/llama`.
  static String shown(ObjectNode object) {
    String apiVersion = object.path("apiVersion").asText();
    String kind = object.path("kind").asText().toLowerCase(Locale.ROOT);
    String type =
        kind.equals("podgroup")
            ? "podgroups." + apiVersion.substring(0, apiVersion.indexOf('/'))
            : kind;
    return type + "/" + object.at("/metadata/name").asText();
  }
}
