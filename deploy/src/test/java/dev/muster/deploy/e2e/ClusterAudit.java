package dev.muster.deploy.e2e;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Watches only the API server, and finds broken promises.
///
/// - A node has fewer GPUs than its pods use.
/// - A gang is half bound for too long.
/// - A protected pod is evicted.
///
/// It shares no code with Muster. Pods and PodGroups of the namespace `default` count. Close it
/// before objects are deleted that it would miss.
final class ClusterAudit implements AutoCloseable {
  /// Label of PodGroups and lone pods that nothing may evict; any value.
  static final String PROTECTED = "audit.muster.dev/protected";

  /// News of nodes and of pods come by separate watches. So the former GPUs of a node count this
  /// long.
  private static final Duration SKEW = Duration.ofSeconds(10);

  private final Duration mostHalf;
  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
  private final Map<String, NodeBook> nodes = new TreeMap<>();
  private final Map<String, GangStanding> gangs = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();
  private long bindings;
  private int whole;
  private Duration longestHalf = Duration.ZERO;

  /// The GPUs of a node and of its pods, by UID.
  private static final class NodeBook {
    private final Map<String, Long> pods = new TreeMap<>();
    private long gpus;
    private long former;
    private long changed;

    void has(long now) {
      if (now != gpus) {
        former = Math.max(gpus, isRecent() ? former : 0);
        gpus = now;
        changed = System.nanoTime();
      }
    }

    private boolean isRecent() {
      return System.nanoTime() - changed < SKEW.toNanos();
    }

    long most() {
      return isRecent() ? Math.max(gpus, former) : gpus;
    }

    long used() {
      return pods.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /// A handler of all states of an object, the last one included.
  private record Seen<T>(Consumer<T> now, Consumer<T> gone) implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
      now.accept(object);
    }

    @Override
    public void onUpdate(T before, T object) {
      now.accept(object);
    }

    @Override
    public void onDelete(T object, boolean unknown) {
      gone.accept(object);
    }
  }

  /// Begins to watch.
  ///
  /// @param mostHalf how long a gang may stay half bound
  ClusterAudit(KubernetesClient client, Duration mostHalf) {
    this.mostHalf = mostHalf;
    informers.add(client.nodes().inform(new Seen<>(this::node, this::nodeGone)));
    informers.add(
        client
            .genericKubernetesResources(new TestGangs(client).kind())
            .inNamespace("default")
            .inform(new Seen<>(this::group, this::groupGone)));
    informers.add(client.pods().inNamespace("default").inform(new Seen<>(this::pod, this::gone)));
  }

  // ---- Nodes ----

  private synchronized void node(Node node) {
    book(name(node)).has(gpus(node.getStatus().getAllocatable()));
  }

  private synchronized void nodeGone(Node node) {
    book(name(node)).has(0);
  }

  private NodeBook book(String node) {
    return nodes.computeIfAbsent(node, _ -> new NodeBook());
  }

  // ---- PodGroups ----

  private synchronized void group(GenericKubernetesResource group) {
    boolean kept = group.getMetadata().getLabels().containsKey(PROTECTED);
    Object minimum = group.get("spec", "minMember");
    gang(name(group)).wants(minimum instanceof Number number ? number.intValue() : 1, kept);
  }

  private synchronized void groupGone(GenericKubernetesResource group) {
    Optional.ofNullable(gangs.remove(name(group))).ifPresent(this::account);
  }

  private GangStanding gang(String name) {
    return gangs.computeIfAbsent(name, _ -> new GangStanding(name));
  }

  private void account(GangStanding gang) {
    whole += gang.wasWhole() ? 1 : 0;
    longestHalf = gang.longestHalf().compareTo(longestHalf) > 0 ? gang.longestHalf() : longestHalf;
    if (gang.longestHalf().compareTo(mostHalf) > 0) {
      violate("gang %s was half bound for %s".formatted(gang.name(), gang.longestHalf()));
    }
  }

  // ---- Pods ----

  private synchronized void pod(Pod pod) {
    gangOf(pod).ifPresent(gang -> gang(gang).has(pod));
    if (isProtected(pod)) {
      evicted(pod).ifPresent(how -> violate("protected pod %s: %s".formatted(name(pod), how)));
    }
    if (TestGangs.isBound(pod)) {
      bound(pod);
    }
  }

  private void bound(Pod pod) {
    NodeBook book = book(pod.getSpec().getNodeName());
    if (GangStanding.isOver(pod)) {
      book.pods.remove(uid(pod));
    } else if (book.pods.put(uid(pod), gpus(pod)) == null) {
      bindings++;
      if (book.used() > book.most()) {
        violate(
            "node %s has %d GPUs, and its pods use %d with %s"
                .formatted(pod.getSpec().getNodeName(), book.most(), book.used(), name(pod)));
      }
    }
  }

  private synchronized void gone(Pod pod) {
    gangOf(pod).ifPresent(gang -> gang(gang).lost(pod));
    if (TestGangs.isBound(pod)) {
      book(pod.getSpec().getNodeName()).pods.remove(uid(pod));
    }
    if (isProtected(pod)) {
      violate("protected pod %s is gone".formatted(name(pod)));
    }
  }

  private boolean isProtected(Pod pod) {
    return pod.getMetadata().getLabels().containsKey(PROTECTED)
        || gangOf(pod).filter(gang -> gang(gang).isProtected()).isPresent();
  }

  /// Says who ends the pod; empty if nobody does.
  private static Optional<String> evicted(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("DisruptionTarget"))
        .map(condition -> condition.getReason() + ": " + condition.getMessage())
        .findFirst()
        .or(() ->
            Optional.ofNullable(pod.getMetadata().getDeletionTimestamp())
                .map(at -> "ends by " + at));
  }

  private static Optional<String> gangOf(Pod pod) {
    return Optional.ofNullable(pod.getMetadata().getLabels().get(TestGangs.LABEL));
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }

  private static long gpus(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .mapToLong(container -> gpus(container.getResources().getRequests()))
        .sum();
  }

  private static long gpus(Map<String, Quantity> resources) {
    Quantity gpus = resources.get(NodeShape.GPU);
    return gpus == null ? 0 : gpus.getNumericalAmount().longValue();
  }

  // ---- Findings ----

  private void violate(String what) {
    violations.add(Instant.now() + " " + what);
  }

  /// Ends the audit. Returns what was seen, and all broken promises.
  synchronized Findings findings() {
    informers.forEach(SharedIndexInformer::close);
    informers.clear();
    gangs.values().forEach(this::account);
    gangs.clear();
    return new Findings(bindings, whole, longestHalf, List.copyOf(violations));
  }

  /// What an audit has seen.
  ///
  /// @param bindings pods that got a node
  /// @param whole gangs that had their minimum at some time
  /// @param longestHalf the longest time for which a gang had a part of its minimum
  /// @param violations broken promises
  record Findings(long bindings, int whole, Duration longestHalf, List<String> violations) {
    /// One line.
    String text() {
      return "audit: %d pods bound, %d gangs whole, half bound for %d ms at most, %d violations%s%n"
          .formatted(
              bindings,
              whole,
              longestHalf.toMillis(),
              violations.size(),
              violations.isEmpty() ? "" : ": " + violations);
    }
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::close);
  }
}
