package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/// The names of all objects in a cluster, to see what an installation leaves behind.
final class ClusterInventory {
  private static final Set<String> PASSING =
      Set.of("Event", "Lease", "Endpoints", "EndpointSlice", "ComponentStatus");

  private ClusterInventory() {}

  /// Every object that lasts, of every kind that the API server can list. A CRD that is new cannot
  /// be listed at once.
  static Set<String> of(KubernetesClient admin) {
    return await("all kinds can be listed")
        .atMost(TestCluster.WAIT)
        .ignoreException(KubernetesClientException.class)
        .until(() -> list(admin), found -> true);
  }

  private static Set<String> list(KubernetesClient admin) {
    var found = new TreeSet<String>();
    var versions = new ArrayList<>(List.of("v1"));
    admin
        .getApiGroups()
        .getGroups()
        .forEach(group -> versions.add(group.getPreferredVersion().getGroupVersion()));
    for (String version : versions) {
      for (APIResource resource : admin.getApiResources(version).getResources()) {
        if (resource.getVerbs().contains("list") && !PASSING.contains(resource.getKind())) {
          found.addAll(objects(admin, version, resource));
        }
      }
    }
    return found;
  }

  private static List<String> objects(
      KubernetesClient admin, String version, APIResource resource) {
    int slash = version.indexOf('/');
    var context =
        new ResourceDefinitionContext.Builder()
            .withGroup(slash < 0 ? "" : version.substring(0, slash))
            .withVersion(version.substring(slash + 1))
            .withKind(resource.getKind())
            .withPlural(resource.getName())
            .withNamespaced(resource.getNamespaced())
            .build();
    var all = admin.genericKubernetesResources(context);
    var items = resource.getNamespaced() ? all.inAnyNamespace().list() : all.list();
    return items.getItems().stream()
        .map(o ->
            "%s %s/%s"
                .formatted(
                    resource.getKind(),
                    Objects.requireNonNullElse(o.getMetadata().getNamespace(), ""),
                    o.getMetadata().getName()))
        .toList();
  }
}
