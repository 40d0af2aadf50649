package dev.muster.server.kube.watch;

import dev.muster.server.kube.dra.PodClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads pods again that name a ResourceClaim or a template of which there is news.
public final class PodRereads {
  private final RereadQueue queue;

  /// The pods of each claim or template, by its `namespace/name`.
  private final Map<String, Set<String>> users = new HashMap<>();

  /// The claims and templates of each pod.
  private final Map<String, Set<String>> named = new HashMap<>();

  /// @param queue reads pods in their turn
  public PodRereads(RereadQueue queue) {
    this.queue = queue;
  }

  /// Records the claims and templates of the pod. To be called before it is read.
  public synchronized void seen(String key, Pod pod) {
    Set<String> now =
        PodClaim.of(pod).stream()
            .flatMap(entry -> Stream.concat(entry.template().stream(), entry.claim().stream()))
            .collect(Collectors.toSet());
    Set<String> before = now.isEmpty() ? named.remove(key) : named.put(key, now);
    if (before != null && !before.equals(now)) {
      leave(key, before);
    }
    now.forEach(name -> users.computeIfAbsent(name, _ -> new HashSet<>()).add(key));
  }

  /// Records that the pod is gone.
  public synchronized void gone(String key) {
    Set<String> before = named.remove(key);
    if (before != null) {
      leave(key, before);
    }
  }

  private void leave(String pod, Set<String> names) {
    for (String name : names) {
      users.computeIfPresent(
          name,
          (_, pods) -> {
            pods.remove(pod);
            return pods.isEmpty() ? null : pods;
          });
    }
  }

  /// Reads the pods again that name one of these claims or templates, or have such a claim.
  public void changed(Collection<String> claimsOrTemplates) {
    queue.add(pods(claimsOrTemplates));
  }

  private synchronized Set<String> pods(Collection<String> claimsOrTemplates) {
    return claimsOrTemplates.stream()
        .flatMap(name -> users.getOrDefault(name, Set.of()).stream())
        .collect(Collectors.toSet());
  }
}
