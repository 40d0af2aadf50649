package dev.muster.server.kube;

import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.watch.ResourceWatch;
import io.fabric8.kubernetes.api.model.Namespace;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Receiver of namespaces. A label of a namespace decides if owners of its pods have gangs.
final class NamespaceSwitches implements ResourceWatch.Sink<Namespace> {
  private final Map<String, String> switches = new ConcurrentHashMap<>();
  private final Set<String> changed = ConcurrentHashMap.newKeySet();

  @Override
  public void seen(String key, Namespace namespace) {
    String now =
        ObjectMetadata.labels(namespace).getOrDefault(WellKnownNames.NAMESPACE_OWNER_GANGS, "");
    String before = switches.put(key, now);
    if (!now.equals(before == null ? "" : before)) {
      changed.add(key);
    }
  }

  /// Returns the namespaces whose label changed since the last call.
  Set<String> changed() {
    Set<String> names = Set.copyOf(changed);
    changed.removeAll(names);
    return names;
  }

  @Override
  public void gone(String key) {
    switches.remove(key);
  }
}
