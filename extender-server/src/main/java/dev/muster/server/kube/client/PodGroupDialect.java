package dev.muster.server.kube.client;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Optional;

/// The three kinds of PodGroup in use. Each declares a gang.
public enum PodGroupDialect {
  /// PodGroup of scheduler-plugins, which most job controllers create.
  SCHEDULER_PLUGINS(Origin.POD_GROUP, "scheduling.x-k8s.io", List.of("v1alpha1")),
  /// PodGroup of Kubernetes, in the versions of 1.37 and 1.36. Earlier releases have none.
  NATIVE(Origin.NATIVE, "scheduling.k8s.io", List.of("v1", "v1beta1", "v1alpha3", "v1alpha2")),
  /// PodGroup of Volcano.
  VOLCANO(Origin.VOLCANO, "scheduling.volcano.sh", List.of("v1beta1"));

  /// Kind of all three.
  public static final String KIND = "PodGroup";

  public static final String PLURAL = "podgroups";

  private final Origin origin;
  private final String group;

  @SuppressWarnings("ImmutableEnumChecker") // `List.of` of strings
  private final List<String> versions;

  PodGroupDialect(Origin origin, String group, List<String> versions) {
    this.origin = origin;
    this.group = group;
    this.versions = versions;
  }

  /// Returns the dialect that declares the gang; absent for a lone pod.
  public static Optional<PodGroupDialect> of(GangId gang) {
    return switch (gang.origin()) {
      case POD_GROUP -> Optional.of(SCHEDULER_PLUGINS);
      case NATIVE -> Optional.of(NATIVE);
      case VOLCANO -> Optional.of(VOLCANO);
      case POD -> Optional.empty();
    };
  }

  public Origin origin() {
    return origin;
  }

  public String group() {
    return group;
  }

  /// Returns the readable API versions as `group/version`, preferred versions first.
  public List<String> apiVersions() {
    return versions.stream().map(version -> group + "/" + version).toList();
  }

  public static ResourceDefinitionContext context(String apiVersion) {
    int slash = apiVersion.indexOf('/');
    return new ResourceDefinitionContext.Builder()
        .withGroup(apiVersion.substring(0, slash))
        .withVersion(apiVersion.substring(slash + 1))
        .withKind(KIND)
        .withPlural(PLURAL)
        .withNamespaced(true)
        .build();
  }
}
