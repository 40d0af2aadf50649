package dev.muster.server.kube.watch;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.NodeCodec;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.codec.PodGroupCodec;
import dev.muster.server.kube.codec.PodStart;
import dev.muster.server.kube.codec.UnknownKeys;
import dev.muster.server.kube.dra.DeviceInventory;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.record.GangRecords;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Reads a set of objects at one instant into the events that a live server would produce.
///
/// For callers that read objects once and do not watch them. PodGroups must precede pods, and the
/// objects of Dynamic Resource Allocation must precede nodes and pods.
///
/// Events contain only the fields that the codecs read: the sum of the requests instead of
/// containers, and only Muster's own annotations.
public final class ObjectFacts {
  /// CPU time for the selectors of claims: enough for 100 usual ones and 40,000 GPUs.
  private static final Duration SELECTING = Duration.ofSeconds(10);

  private final List<Event> events = new ArrayList<>();
  private final List<Event> past = new ArrayList<>();
  private final List<ObjectProblem> problems = new ArrayList<>();
  private final ChangeFilter facts;
  private final GangRecords records = GangRecords.unchecked();
  private final DeviceInventory devices;
  private boolean selected;
  private final NodeCodec nodes;
  private final PodCodec pods;
  private final Map<String, Integer> priorities;

  /// Gangs with a PodGroup. Muster wrote those of owners.
  private final Set<GangId> declared = new HashSet<>();

  /// Creates an empty set.
  ///
  /// @param settings settings for reading the cluster
  /// @param priorities values of priority classes by name
  /// @param at instant of the objects' state
  public ObjectFacts(KubeSettings settings, Map<String, Integer> priorities, Instant at) {
    this.facts = new ChangeFilter(this::add, InstantSource.fixed(at));
    this.devices = new DeviceInventory(settings.accelerators());
    this.nodes = new NodeCodec(settings.accelerators(), settings.faultConditions(), devices::of);
    OwnerKinds owners = OwnerKinds.with(settings.owners());
    this.pods =
        new PodCodec(
            settings.accelerators(),
            settings.schedulerNames(),
            devices::pod,
            devices::mayTakeGpus,
            pod ->
                owners.claim(OwnedPod.of(pod)).flatMap(claim -> claim.among(declared::contains)));
    this.priorities = Map.copyOf(priorities);
  }

  /// Adds single events, since callers look for those of one type.
  private void add(Event event) {
    if (event instanceof Event.OfGang said) {
      events.addAll(said.facts());
    } else {
      events.add(event);
    }
  }

  /// Adds a device class.
  public void deviceClass(DeviceClass known) {
    devices.deviceClass(key(known), Optional.of(known));
  }

  /// Adds a ResourceSlice.
  public void resourceSlice(ResourceSlice slice) {
    devices.slice(key(slice), Optional.of(slice));
  }

  /// Adds a ResourceClaim.
  public void resourceClaim(ResourceClaim claim) {
    devices.claim(key(claim), Optional.of(claim));
  }

  /// Adds a ResourceClaimTemplate.
  public void resourceClaimTemplate(ResourceClaimTemplate template) {
    devices.template(key(template), Optional.of(template));
  }

  private static String key(HasMetadata object) {
    return Cache.metaNamespaceKeyFunc(object);
  }

  /// Adds a node. Before the first one, the selectors of all claims are evaluated.
  public void node(Node node) {
    if (!selected) {
      selected = true;
      devices.selectFor(SELECTING);
    }
    switch (nodes.read(node)) {
      case ReadResult.Good<dev.muster.core.node.Node>(var read) -> facts.node(read);
      case ReadResult.Bad<dev.muster.core.node.Node>(ObjectProblem problem) ->
          problems.add(problem);
    }
  }

  /// True if the object is a PodGroup of a known dialect.
  public static boolean isPodGroup(GenericKubernetesResource object) {
    return PodGroupDialect.KIND.equals(object.getKind()) && dialect(object).isPresent();
  }

  private static Optional<PodGroupDialect> dialect(GenericKubernetesResource group) {
    return Stream.of(PodGroupDialect.values())
        .filter(dialect -> dialect.apiVersions().contains(group.getApiVersion()))
        .findFirst();
  }

  /// Adds a PodGroup.
  ///
  /// @throws IllegalArgumentException if the object is no PodGroup
  public void podGroup(GenericKubernetesResource group) {
    PodGroupDialect dialect =
        dialect(group)
            .filter(_ -> isPodGroup(group))
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "A %s of %s is no PodGroup."
                        .formatted(group.getKind(), group.getApiVersion())));
    switch (new PodGroupCodec(dialect, this::priority).read(group)) {
      case ReadResult.Good<GangSpec>(GangSpec spec) -> {
        facts.gang(records.ofGroup(key(group), group, spec));
        declared.add(spec.id());
        UnknownKeys.stray(group).ifPresent(problems::add);
      }
      case ReadResult.Bad<GangSpec>(ObjectProblem problem) -> problems.add(problem);
    }
  }

  private Optional<Integer> priority(String className) {
    return Optional.ofNullable(priorities.get(className));
  }

  /// Adds a pod.
  public void pod(Pod pod) {
    String key = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    PodFact fact = PodSink.recorded(key, pod, pods.read(pod), records);
    facts.pod(key, fact);
    switch (fact) {
      case PodFact.Ours(Member member, _, var problem, _) -> {
        problem.ifPresent(problems::add);
        over(pod, member);
      }
      case PodFact.Unreadable(ObjectProblem problem, _) -> problems.add(problem);
      case PodFact.Unmanaged _, PodFact.Nothing _, PodFact.Stray _ -> {}
    }
  }

  /// Adds the past run of a finished pod: its node, start and end.
  private void over(Pod pod, Member member) {
    String node = Objects.requireNonNullElse(pod.getSpec().getNodeName(), "");
    Instant bound = PodStart.boundAt(pod);
    Optional<Instant> end = PodCodec.endOf(pod);
    if (member.state() instanceof MemberState.Ended && !node.isEmpty() && end.isPresent()) {
      MemberState ran = new MemberState.Bound(new NodeId(node), bound);
      past.add(new Event.MemberSeen(bound, member.as(ran)));
      past.add(new Event.MemberSeen(end.get(), member));
    }
  }

  /// Returns the events, in the order in which the objects were added.
  public List<Event> events() {
    return List.copyOf(events);
  }

  /// Returns the starts and ends of finished pods, in order of time.
  public List<Event> past() {
    return past.stream().sorted(Comparator.comparing(Event::at)).toList();
  }

  /// Returns a sentence for each selection that does not count in the events, or not for all GPUs.
  /// It names a claim and the reason.
  public List<String> uncounted() {
    return devices.uncounted();
  }

  /// Returns the problems of invalid objects, which are left out, and of invalid fields, which are
  /// ignored.
  public List<ObjectProblem> problems() {
    return List.copyOf(problems);
  }
}
