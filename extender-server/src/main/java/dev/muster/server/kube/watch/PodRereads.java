package dev.muster.server.kube.watch;

import dev.muster.server.fair.FairQueue;
import dev.muster.server.kube.dra.PodClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads pods again of whose claims or owners there is news, at most [#IN_A_SECOND].
///
/// One write of a tenant can concern any number of pods: those that name a ResourceClaim or its
/// template, or those of an owner. The first are read at once. The others wait for the next
/// seconds, in turns that are fair to namespaces. A pod that waits is read once, whatever comes.
public final class PodRereads {
  /// Number of pods that are read again in a second. They take some percent of a core.
  static final int IN_A_SECOND = 1_000;

  private final Consumer<String> again;

  /// The pods of each claim or template, by its `namespace/name`.
  private final Map<String, Set<String>> users = new HashMap<>();

  /// The claims and templates of each pod.
  private final Map<String, Set<String>> named = new HashMap<>();

  private final FairQueue<String> order = new FairQueue<>(ArrayDeque::new, _ -> 1);
  private final Set<String> waiting = new HashSet<>();
  private int allowance = IN_A_SECOND;

  /// @param again reads the pod with the key again, in any thread
  public PodRereads(Consumer<String> again) {
    this.again = again;
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
    synchronized (this) {
      claimsOrTemplates.forEach(name -> users.getOrDefault(name, Set.of()).forEach(this::add));
    }
    read();
  }

  /// Reads the pod again.
  public void pod(String key) {
    synchronized (this) {
      add(key);
    }
    read();
  }

  private void add(String pod) {
    if (waiting.add(pod)) {
      order.add(pod.substring(0, Math.max(0, pod.indexOf('/'))), pod);
    }
  }

  /// Reads the next pods. To be called every second.
  ///
  /// @return true if more wait
  public boolean next() {
    synchronized (this) {
      allowance = IN_A_SECOND;
    }
    read();
    synchronized (this) {
      return !waiting.isEmpty();
    }
  }

  // Without the lock: others report pods while they hold the lock of their watch.
  private void read() {
    for (String pod = taken(); pod != null; pod = taken()) {
      again.accept(pod);
    }
  }

  private synchronized @Nullable String taken() {
    String pod = allowance > 0 ? order.poll() : null;
    if (pod != null) {
      allowance--;
      waiting.remove(pod);
    }
    return pod;
  }
}
