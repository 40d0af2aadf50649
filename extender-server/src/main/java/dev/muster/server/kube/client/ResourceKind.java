package dev.muster.server.kube.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.function.Function;
import java.util.function.Supplier;

/// Access to all objects of one kind on the API server.
///
/// @param name display name of the objects in messages
/// @param informer factory of informers, not yet started
/// @param since query for changes after a resource version
public record ResourceKind<T extends HasMetadata>(
    String name,
    Supplier<SharedIndexInformer<T>> informer,
    Function<String, ApiCalls.Answer> since) {
  /// Objects per page of a list. A list without a limit may be outdated (`resourceVersion=0`). A
  /// restarted list would then remove objects that were created since.
  private static final long PAGE = 1000;

  /// Query of a watch with the shortest timeout that the API server accepts.
  private static final String WATCH = "?watch=true&timeoutSeconds=1&resourceVersion=";

  /// The state of an informer that may have missed changes.
  public enum Standing {
    /// The informer missed nothing.
    CURRENT,
    /// Something changed, or the version is too old to find out.
    BEHIND,
    /// The API server did not answer the query.
    UNKNOWN
  }

  /// Creates access to the objects under a path of the API server, such as `/api/v1/pods`.
  public static <T extends HasMetadata> ResourceKind<T> of(
      String name, KubernetesClient client, String path, Informable<T> objects) {
    ApiCalls api = new ApiCalls(client);
    return new ResourceKind<>(
        name,
        () -> objects.withLimit(PAGE).runnableInformer(0),
        version -> api.get(path + WATCH + version));
  }

  /// Returns the state of an informer whose newest version is given. The query is a separate short
  /// watch: one small call, however many objects there are. It takes a second if nothing changed.
  public Standing standing(String version) {
    ApiCalls.Answer answer = since.apply(version);
    if (answer.isGood()) {
      return answer.body().isBlank() ? Standing.CURRENT : Standing.BEHIND;
    }
    return answer.code() == 410 ? Standing.BEHIND : Standing.UNKNOWN;
  }
}
