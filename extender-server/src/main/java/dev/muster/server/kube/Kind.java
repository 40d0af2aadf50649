package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.function.Function;
import java.util.function.Supplier;

/// All objects of a kind, as the API server has them.
///
/// @param name what they are called in messages
/// @param informer follows them; not started yet
/// @param since what the API server tells when it is asked for the changes after a version
record Kind<T extends HasMetadata>(
    String name, Supplier<SharedIndexInformer<T>> informer, Function<String, Api.Answer> since) {
  /// Objects in a page of a list. Without a limit a list may be of any age (`resourceVersion=0`),
  /// and one that is begun anew would take away what was made since.
  private static final long PAGE = 1000;

  /// The least time for which the API server holds a watch.
  private static final String WATCH = "?watch=true&timeoutSeconds=1&resourceVersion=";

  /// How an informer that may have missed something stands.
  enum Standing {
    /// There is nothing that it does not know.
    CURRENT,
    /// Something changed, or too much time went by to say.
    BEHIND,
    /// The API server gave no answer to that.
    UNKNOWN
  }

  /// The objects under a path of the API server, such as `/api/v1/pods`.
  static <T extends HasMetadata> Kind<T> of(
      String name, KubernetesClient client, String path, Informable<T> objects) {
    Api api = new Api(client);
    return new Kind<>(
        name,
        () -> objects.withLimit(PAGE).runnableInformer(0),
        version -> api.get(path + WATCH + version));
  }

  /// How one stands that knows all up to the version. Takes a second where nothing changed: a short
  /// watch of our own tells it for one small call, however many objects there are.
  Standing standing(String version) {
    Api.Answer answer = since.apply(version);
    if (answer.isGood()) {
      return answer.body().isBlank() ? Standing.CURRENT : Standing.BEHIND;
    }
    return answer.code() == 410 ? Standing.BEHIND : Standing.UNKNOWN;
  }
}
