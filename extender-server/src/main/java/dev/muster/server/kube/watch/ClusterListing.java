package dev.muster.server.kube.watch;

import dev.muster.core.cluster.Event;
import dev.muster.server.kube.client.ApiErrorText;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.dra.PodClaim;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/// A snapshot of a live cluster, read by `get` and `list` only. Objects are read page by page and
/// not kept.
///
/// @param facts events that describe the current objects
/// @param past start and end of finished pods, if the pods state them
/// @param priorities values of the priority classes by name
/// @param problems invalid objects, which are left out
/// @param uncounted sentences about selections of GPUs that do not count in the facts, or not for
///   all GPUs
public record ClusterListing(
    List<Event> facts,
    List<Event> past,
    SortedMap<String, Integer> priorities,
    List<ObjectProblem> problems,
    List<String> uncounted) {
  private static final long PAGE = 500;

  /// Lists the cluster.
  ///
  /// @param at time of the facts
  /// @throws IllegalStateException if objects cannot be listed; the message names their kind
  public static ClusterListing read(KubernetesClient client, KubeSettings settings, Instant at) {
    Pages pages = new Pages(client.getMasterUrl().toString());
    SortedMap<String, Integer> priorities = new TreeMap<>();
    pages.each(
        "priority classes",
        client.scheduling().v1().priorityClasses(),
        found ->
            priorities.put(
                found.getMetadata().getName(), Objects.requireNonNullElse(found.getValue(), 0)));
    ObjectFacts objects = new ObjectFacts(settings, priorities, at);
    for (PodGroupDialect dialect : PodGroupDialect.values()) {
      dialect.apiVersions().stream()
          .filter(version -> client.supports(version, PodGroupDialect.KIND))
          .findFirst()
          .ifPresent(version ->
              pages.each(
                  version + " PodGroups",
                  client
                      .genericKubernetesResources(PodGroupDialect.context(version))
                      .inAnyNamespace(),
                  objects::podGroup));
    }
    if (client.supports(PodClaim.API_VERSION, DeviceWatch.KIND)) {
      var api = client.dynamicResourceAllocation().v1();
      pages.each("device classes", api.deviceClasses(), objects::deviceClass);
      pages.each("ResourceSlices", api.resourcesSlices(), objects::resourceSlice);
      pages.each(
          "ResourceClaimTemplates",
          api.resourceClaimTemplates().inAnyNamespace(),
          objects::resourceClaimTemplate);
      pages.each("ResourceClaims", api.resourceClaims().inAnyNamespace(), objects::resourceClaim);
    }
    pages.each("nodes", client.nodes(), objects::node);
    pages.each("pods", client.pods().inAnyNamespace(), objects::pod);
    return new ClusterListing(
        objects.events(), objects.past(), priorities, objects.problems(), objects.uncounted());
  }

  /// Lists objects page by page.
  ///
  /// @param address address of the API server
  private record Pages(String address) {
    private <T extends HasMetadata, L extends KubernetesResourceList<T>> void each(
        String what, Listable<L> source, Consumer<T> reader) {
      String next = "";
      do {
        L page = page(what, source, next);
        page.getItems().forEach(reader);
        next = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
      } while (!next.isEmpty());
    }

    private <L> L page(String what, Listable<L> source, String from) {
      try {
        var options = new ListOptionsBuilder().withLimit(PAGE);
        return source.list((from.isEmpty() ? options : options.withContinue(from)).build());
      } catch (KubernetesClientException failed) {
        throw new IllegalStateException(
            "The %s cannot be listed: %s".formatted(what, ApiErrorText.of(failed, address)),
            failed);
      }
    }
  }
}
