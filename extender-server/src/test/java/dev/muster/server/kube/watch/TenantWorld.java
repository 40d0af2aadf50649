package dev.muster.server.kube.watch;

import com.sun.management.ThreadMXBean;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.NodeCodec;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.codec.PodGroupCodec;
import dev.muster.server.kube.codec.UncountedPod;
import dev.muster.server.kube.dra.DeviceInventory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttributeBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/// A cluster whose objects are read by the real codecs and passed to the real engine.
///
/// All is done in one thread and with a clock of its own. Each node has 8 GPUs, of which 2 are
/// free.
final class TenantWorld {
  static final String GPU = "nvidia.com/gpu";
  private static final Instant START = Instant.parse("2026-11-01T10:00:00Z");

  /// Bytes that count as a second of CPU time of selectors.
  private static final long BYTES = 1200L << 20;

  final DeviceInventory devices;
  private final PodCodec pods;
  private final PodGroupCodec groups =
      new PodGroupCodec(PodGroupDialect.SCHEDULER_PLUGINS, _ -> Optional.empty());
  private final NodeCodec nodes;
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final ChangeFilter facts = new ChangeFilter(events::add, () -> now());
  private final Engine engine = new Engine(Policies.DEFAULT);
  private State state;
  private Instant now = START;
  private final boolean slices;

  /// Messages for owners, by gang, and those of objects that do not count.
  final Map<String, String> messages = new TreeMap<>();

  final Set<GangId> admitted = new TreeSet<>();
  long longestStepNanos;
  long publishedCharacters;

  TenantWorld(int size) {
    this(size, false);
  }

  /// @param slices whether the GPUs of nodes are in ResourceSlices
  TenantWorld(int size, boolean slices) {
    this(size, slices, new DeviceInventory(List.of(GPU)), new Topology(List.of()));
  }

  /// Creates a world of racks of 10 nodes.
  static TenantWorld ofRacks(int size) {
    Topology racks = new Topology(List.of(new TopologyLevel("rack", "rack")));
    return new TenantWorld(size, false, new DeviceInventory(List.of(GPU)), racks);
  }

  /// Creates a world with ResourceSlices whose selectors take equal time on every machine.
  static TenantWorld measuredByBytes(int size) {
    LongSupplier time = () -> allocated() * 1_000_000 / (BYTES / 1_000);
    return new TenantWorld(
        size, true, new DeviceInventory(List.of(GPU), time), new Topology(List.of()));
  }

  private TenantWorld(int size, boolean slices, DeviceInventory devices, Topology topology) {
    this.state = State.empty(topology);
    this.slices = slices;
    this.devices = devices;
    pods = new PodCodec(List.of(GPU), Set.of("default-scheduler"), devices::claimedBy);
    nodes = new NodeCodec(List.of(GPU), Set.of(), devices::of);
    if (slices) {
      deviceClass();
    }
    for (int i = 0; i < size; i++) {
      String name = "node-%04d".formatted(i);
      if (slices) {
        slice(name);
      }
      node(name, "8");
      PodBuilder agent = pod("system", "agent-" + i, 6);
      agent.editSpec().withNodeName(name).withSchedulerName("other").endSpec();
      pod(agent.withNewStatus().withPhase("Running").endStatus().build());
    }
    events.add(new Event.Synced(now));
    step();
  }

  /// Returns the image of the cluster after the last step.
  Cluster cluster() {
    return state.cluster();
  }

  private Instant now() {
    return now;
  }

  /// Returns the bytes that this thread has allocated so far.
  static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  private void deviceClass() {
    devices.deviceClass(
        "gpu.nvidia.com",
        Optional.of(
            new DeviceClassBuilder()
                .withNewMetadata()
                .withName("gpu.nvidia.com")
                .endMetadata()
                .withNewSpec()
                .addNewSelector()
                .withNewCel("device.driver == 'gpu.nvidia.com'")
                .endSelector()
                .endSpec()
                .build()));
  }

  private void slice(String node) {
    var spec =
        new ResourceSliceBuilder()
            .withNewMetadata()
            .withName(node)
            .endMetadata()
            .withNewSpec()
            .withDriver("gpu.nvidia.com")
            .withNodeName(node)
            .withNewPool(1L, node, 1L);
    for (int i = 0; i < 8; i++) {
      spec =
          spec.addNewDevice()
              .withName("gpu-" + i)
              .addToAttributes(
                  "productName", new DeviceAttributeBuilder().withString("H100").build())
              .endDevice();
    }
    devices.slice(node, Optional.of(spec.endSpec().build()));
  }

  /// A claim of one GPU was seen.
  void claim(String namespace, String name, List<String> selectors) {
    var request =
        new ResourceClaimBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(name)
            .withUid("uid-" + name)
            .endMetadata()
            .withNewSpec()
            .withNewDevices()
            .addNewRequest()
            .withName("gpu")
            .withNewExactly()
            .withDeviceClassName("gpu.nvidia.com");
    for (String selector : selectors) {
      request = request.addNewSelector().withNewCel(selector).endSelector();
    }
    devices.claim(
        namespace + "/" + name,
        Optional.of(request.endExactly().endRequest().endDevices().endSpec().build()));
  }

  /// The claim was deleted.
  void noClaim(String namespace, String name) {
    devices.claim(namespace + "/" + name, Optional.empty());
  }

  /// A node with this number of GPUs was seen.
  void node(String name, String gpus) {
    var allocatable =
        new TreeMap<>(
            Map.of(
                "cpu", new Quantity("96"),
                "memory", new Quantity("1Ti"),
                "pods", new Quantity("110")));
    if (!slices) {
      allocatable.put(GPU, new Quantity(gpus));
    }
    var node =
        new NodeBuilder()
            .withNewMetadata()
            .withName(name)
            .withUid(name)
            .addToLabels("kubernetes.io/hostname", name)
            .addToLabels("nvidia.com/gpu.product", "NVIDIA-H100")
            .addToLabels("rack", name.substring(0, name.length() - 1))
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .withAllocatable(allocatable)
            .addNewCondition()
            .withType("Ready")
            .withStatus("True")
            .endCondition()
            .endStatus()
            .build();
    if (nodes.read(node) instanceof ReadResult.Good<dev.muster.core.node.Node>(var read)) {
      facts.node(read);
    } else {
      throw new AssertionError(nodes.read(node));
    }
  }

  static PodBuilder pod(String namespace, String name, int gpus) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name)
        .withUid("uid-" + namespace + "-" + name)
        .withCreationTimestamp(START.toString())
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("default-scheduler")
        .withPriority(0)
        .addNewContainer()
        .withName("c")
        .withNewResources()
        .withRequests(Map.of(GPU, new Quantity("" + gpus), "cpu", new Quantity("1")))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus();
  }

  static GenericKubernetesResource group(
      String namespace, String name, int minMember, Map<String, String> annotations) {
    var group = new GenericKubernetesResource();
    group.setApiVersion(PodGroupDialect.SCHEDULER_PLUGINS.apiVersions().getFirst());
    group.setKind(PodGroupDialect.KIND);
    group.setMetadata(
        new io.fabric8.kubernetes.api.model.ObjectMetaBuilder()
            .withNamespace(namespace)
            .withName(name)
            .withUid("uid-" + namespace + "-" + name)
            .withCreationTimestamp(START.toString())
            .withAnnotations(annotations)
            .build());
    group.setAdditionalProperty("spec", new TreeMap<>(Map.of("minMember", minMember)));
    return group;
  }

  void pod(Pod pod) {
    PodFact fact = pods.read(pod);
    String key = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    facts.pod(key, fact, UncountedPod.of(pod, fact, pods.schedulerNames()));
    switch (fact) {
      case PodFact.Unreadable(ObjectProblem problem, _) -> messages.put(key, problem.message());
      case PodFact.Ours(_, _, var problem, _) ->
          problem.ifPresent(found -> messages.put(key, found.message()));
      case PodFact.Unmanaged _, PodFact.Nothing _, PodFact.Stray _ -> {}
    }
  }

  void gone(String key) {
    facts.pod(key, new PodFact.Nothing());
  }

  void group(GenericKubernetesResource group) {
    switch (groups.read(group)) {
      case ReadResult.Good<GangSpec>(GangSpec spec) -> facts.gang(spec);
      case ReadResult.Bad<GangSpec>(ObjectProblem problem) -> {
        messages.put(groups.id(group).toString(), problem.message());
        facts.invalidGang(groups.id(group), problem.message(), false);
      }
    }
  }

  /// Passes one second. Nodes are read again of which claims select GPUs.
  void tick() {
    now = now.plus(Duration.ofSeconds(1));
    devices.selectAgain();
    devices.selectedAnew(DeviceInventory.NODES_AT_A_TIME).forEach(name -> node(name, "8"));
    events.add(new Event.Tick(now));
    step();
  }

  /// Takes all waiting events, and the outcomes of their effects.
  void step() {
    while (!events.isEmpty()) {
      long from = System.nanoTime();
      Step step = engine.step(state, events.remove());
      longestStepNanos = Math.max(longestStepNanos, System.nanoTime() - from);
      state = step.after();
      step.decisions().stream()
          .filter(Decision.Admit.class::isInstance)
          .forEach(admit -> admitted.add(admit.gang()));
      step.effects().forEach(this::perform);
    }
  }

  private void perform(Effect effect) {
    if (effect instanceof Effect.WriteReservation write) {
      events.add(new Event.ReservationWritten(now, write.gang(), write.reservation().edition()));
    } else if (effect instanceof Effect.Publish publish) {
      publishedCharacters += publish.status().message().length();
      messages.put(publish.gang().toString(), publish.status().message());
    }
  }

  /// A gang of another tenant comes. Returns true if it was admitted.
  boolean admitsGangOf(String namespace) {
    group(group(namespace, "train", 4, Map.of()));
    for (int i = 0; i < 4; i++) {
      PodBuilder pod = pod(namespace, "train-" + i, 2);
      pod.editMetadata().addToLabels("scheduling.x-k8s.io/pod-group", "train").endMetadata();
      pod(pod.build());
    }
    step();
    return admitted.contains(new GangId(namespace, GangId.Origin.POD_GROUP, "train"));
  }
}
