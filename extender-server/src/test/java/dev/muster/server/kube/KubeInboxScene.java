package dev.muster.server.kube;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.Topology;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.owner.WantedPodGroup;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/// An inbox that watches an API server in memory, and the events it delivers.
abstract class KubeInboxScene {
  static final String VERSION = "scheduling.x-k8s.io/v1alpha1";
  static final KubeSettings SETTINGS =
      new KubeSettings(
          KubeSettings.DEFAULT.accelerators(),
          KubeSettings.DEFAULT.schedulerNames(),
          KubeSettings.DEFAULT.faultConditions(),
          Duration.ofMillis(500));

  @AutoClose final MockApi api = new MockApi();
  final KubernetesClient client = api.client();
  final Mailbox mailbox = new Mailbox(1000);
  final List<ObjectProblem> problems = Collections.synchronizedList(new ArrayList<>());
  final List<WantedPodGroup> wanted = Collections.synchronizedList(new ArrayList<>());
  final List<Event> events = new ArrayList<>();
  final Set<String> served = ConcurrentHashMap.newKeySet();
  Cluster cluster = Cluster.empty(new Topology(List.of()));
  Optional<KubeInbox> inbox = Optional.empty();
  volatile boolean leads = true;
  Predicate<String> serves = served::contains;
  KubeSettings settings = SETTINGS;

  /// What the clock of the inbox is ahead.
  volatile Duration ahead = Duration.ZERO;

  int ticks;

  @BeforeEach
  void open() {
    served.add(VERSION);
  }

  @AfterEach
  void close() {
    inbox.ifPresent(KubeInbox::close);
  }

  void start() {
    inbox =
        Optional.of(
            KubeInbox.start(
                new KubeInbox.Ends(
                    client,
                    kind -> serves.test(kind),
                    mailbox,
                    () -> leads,
                    problems::add,
                    _ -> {},
                    wanted::add,
                    _ -> false,
                    () -> Instant.now().plus(ahead)),
                settings));
  }

  /// The image after all events so far.
  Cluster image() {
    try {
      while (mailbox.depth() > 0 && !mailbox.isHeld()) {
        Event event = mailbox.next().orElseThrow();
        cluster = cluster.apply(event);
        if (event instanceof Event.Tick) {
          ticks++;
        } else {
          events.add(event);
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return cluster;
  }

  NodeState node() {
    return image().nodes().get(new NodeId("gpu-07")).orElseThrow();
  }

  static GangId gang(String name) {
    return new GangId("ml", Origin.POD_GROUP, name);
  }

  static <T> T read(String yaml, Class<T> type) {
    return Serialization.unmarshal(yaml, type);
  }
}
