package dev.muster.server.http.access;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.client.PodGroupDialect;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/// A namespace and an API group. Who may list its PodGroups may see the gangs that they declare.
///
/// @param namespace name of a namespace
/// @param group API group of a kind of PodGroup
public record GangScope(String namespace, String group) {
  /// The API groups of all kinds of PodGroups.
  static final Set<String> GROUPS =
      Arrays.stream(PodGroupDialect.values())
          .map(PodGroupDialect::group)
          .collect(Collectors.toUnmodifiableSet());

  /// Returns the scope of a gang. Lone pods belong to the PodGroups of scheduler-plugins.
  public static GangScope of(GangId gang) {
    PodGroupDialect dialect = PodGroupDialect.of(gang).orElse(PodGroupDialect.SCHEDULER_PLUGINS);
    return new GangScope(gang.namespace(), dialect.group());
  }

  /// Returns the scopes of a namespace.
  public static Set<GangScope> all(String namespace) {
    return GROUPS.stream()
        .map(group -> new GangScope(namespace, group))
        .collect(Collectors.toUnmodifiableSet());
  }
}
