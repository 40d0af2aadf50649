package dev.muster.server.http.access;

import dev.muster.core.gang.GangId;
import java.util.Set;
import java.util.stream.Collectors;

/// What one caller may see on the pages. The rest appears as numbers only.
///
/// @param groups API groups whose PodGroups the caller may list in all namespaces
/// @param scopes other namespaces and groups whose PodGroups the caller may list
/// @param nodes true if the caller may list nodes
public record PageView(Set<String> groups, Set<GangScope> scopes, boolean nodes) {
  /// The view of a caller who may see everything.
  public static final PageView WHOLE = new PageView(GangScope.GROUPS, Set.of(), true);

  public PageView {
    groups = Set.copyOf(groups);
    scopes = Set.copyOf(scopes);
  }

  /// True if nothing is hidden.
  public boolean isWhole() {
    return nodes && seesAllGangs();
  }

  /// True if no gang is hidden.
  public boolean seesAllGangs() {
    return groups.containsAll(GangScope.GROUPS);
  }

  public boolean sees(GangId gang) {
    return sees(GangScope.of(gang));
  }

  private boolean sees(GangScope scope) {
    return groups.contains(scope.group()) || scopes.contains(scope);
  }

  /// True if the caller may see gangs of some kind in the namespace.
  public boolean sees(String namespace) {
    return GangScope.all(namespace).stream().anyMatch(this::sees);
  }

  /// Returns a text that is equal for equal views.
  public String key() {
    return "%s %s %s"
        .formatted(
            groups.stream().sorted().toList(),
            scopes.stream()
                .map(scope -> scope.group() + "/" + scope.namespace())
                .sorted()
                .collect(Collectors.joining(",")),
            nodes);
  }
}
