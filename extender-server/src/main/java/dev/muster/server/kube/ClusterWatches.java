package dev.muster.server.kube;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.client.ResourceKind;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.NodeCodec;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodGroupCodec;
import dev.muster.server.kube.dra.DeviceInventory;
import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.record.GangRecords;
import dev.muster.server.kube.start.NativeGroups;
import dev.muster.server.kube.watch.ChangeFilter;
import dev.muster.server.kube.watch.DeviceWatch;
import dev.muster.server.kube.watch.NodeSink;
import dev.muster.server.kube.watch.ObjectProblems;
import dev.muster.server.kube.watch.OrphanedGates;
import dev.muster.server.kube.watch.PodGroupWatch;
import dev.muster.server.kube.watch.PodRereads;
import dev.muster.server.kube.watch.PodSink;
import dev.muster.server.kube.watch.RereadQueue;
import dev.muster.server.kube.watch.ResourceWatch;
import dev.muster.server.kube.watch.TrimmedStore;
import dev.muster.server.kube.watch.WatchHealth;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The watches of all kinds of objects, with lookups of the objects that they know.
final class ClusterWatches implements GangObjects, AutoCloseable {
  private static final int ROUNDS = 3;

  private final NamespaceSwitches switches = new NamespaceSwitches();
  private final ResourceWatch<Namespace> namespaces;
  private final ResourceWatch<PriorityClass> priorityClasses;
  private final ResourceWatch<Node> nodes;
  private final PodSink podSink;
  private final ResourceWatch<Pod> pods;
  private final RereadQueue podQueue = new RereadQueue(this::podAgain);
  private final PodRereads rereads = new PodRereads(podQueue);
  private final List<PodGroupWatch> podGroups;
  private final OwnerWatches owners;
  private final DeviceInventory devices;
  private final DeviceWatch deviceWatch;

  /// The receivers of what the watches find.
  ///
  /// @param facts receiver of objects
  /// @param problems receiver of the problems of invalid objects
  /// @param strays receiver of unmanaged pods with Muster's gate
  /// @param priorities called when the value of a priority class changed
  /// @param health receiver of the faults of the watches
  record Receivers(
      ChangeFilter facts,
      ObjectProblems problems,
      OrphanedGates strays,
      Runnable priorities,
      WatchHealth health) {}

  /// Starts watching the cluster; returns without waiting for it.
  ///
  /// @param client client of the watches
  ClusterWatches(
      KubernetesClient client, KubeInbox.Ends ends, KubeSettings settings, Receivers receivers) {
    WatchHealth health = receivers.health();
    ChangeFilter facts = receivers.facts();
    ObjectProblems problems = receivers.problems();
    namespaces =
        new ResourceWatch<>(
            ResourceKind.of("namespaces", client, "/api/v1/namespaces", Namespace.class),
            TrimmedStore.of(),
            switches,
            health);
    priorityClasses =
        new ResourceWatch<>(
            ResourceKind.of(
                "priority classes",
                client,
                "/apis/scheduling.k8s.io/v1/priorityclasses",
                PriorityClass.class),
            TrimmedStore.of(),
            new PriorityValues(receivers.priorities()),
            health);
    owners =
        new OwnerWatches(
            OwnerKinds.with(settings.owners()),
            settings.accelerators(),
            new OwnerWatches.Ends(
                client, health, problems, ends.served(), ends.maker(), ends.clock()),
            new OwnerWatches.Others(
                namespace -> namespaceLabels(namespace).orElseGet(Map::of),
                () -> groups(GangId.Origin.POD_GROUP),
                podQueue::add));
    var groupEnds = new PodGroupWatch.Ends(client, health, ends.served(), facts, problems);
    podGroups =
        Stream.of(PodGroupDialect.values())
            .map(dialect ->
                new PodGroupWatch(
                    groupEnds, new PodGroupCodec(dialect, this::priority), owners.gangs()))
            .toList();
    devices = new DeviceInventory(settings.accelerators());
    var nodeCodec = new NodeCodec(settings.accelerators(), settings.faultConditions(), devices::of);
    nodes =
        new ResourceWatch<>(
            ResourceKind.of("nodes", client, "/api/v1/nodes", Node.class),
            TrimmedStore.of(),
            new NodeSink(nodeCodec, facts, problems),
            health);
    var podCodec =
        new PodCodec(
            settings.accelerators(),
            settings.schedulerNames(),
            devices::pod,
            devices::mayTakeGpus,
            pod -> owners.gangs().gangOf(OwnedPod.of(pod)),
            facts::gangInWhichStays);
    podSink =
        new PodSink(podCodec, facts, problems, receivers.strays(), owners.gangs(), ends.clock());
    pods =
        new ResourceWatch<>(
            ResourceKind.of("pods", client, "/api/v1/pods", Pod.class),
            TrimmedStore.ofPods(OwnerKinds.with(settings.owners()), settings.accelerators()),
            new Pods(),
            health);
    deviceWatch =
        new DeviceWatch(
            new DeviceWatch.Ends(client, health, ends.served(), devices, new Rereading()));
  }

  /// Asks again which optional APIs the cluster serves, and watches their objects if so.
  void check() {
    podGroups.forEach(PodGroupWatch::check);
    owners.check();
    deviceWatch.check();
  }

  /// Asks for the optional APIs whose lookup did not succeed yet.
  void checkUnasked() {
    podGroups.stream().filter(groups -> !groups.isAsked()).forEach(PodGroupWatch::check);
    owners.checkUnasked();
    if (!deviceWatch.isAsked()) {
      deviceWatch.check();
    }
  }

  /// Returns all watches. A kind that others refer to precedes them.
  Stream<ResourceWatch<?>> all() {
    return Stream.of(
            Stream.of(priorityClasses, namespaces),
            owners.watched(),
            groups(),
            deviceWatch.watched(),
            Stream.of(nodes, pods))
        .flatMap(kinds -> kinds);
  }

  /// Returns the watches of PodGroups.
  Stream<ResourceWatch<?>> groups() {
    return podGroups.stream().flatMap(PodGroupWatch::watched);
  }

  /// Returns the watches of the kinds that every cluster serves.
  private Stream<ResourceWatch<?>> watched() {
    return Stream.of(namespaces, priorityClasses, nodes, pods);
  }

  /// True if all existing objects were listed once.
  boolean isListed() {
    return watched().allMatch(ResourceWatch::isSynced)
        && podGroups.stream().allMatch(PodGroupWatch::isSynced)
        && owners.areReady()
        && deviceWatch.isSynced();
  }

  /// True if every kind that was ever watched is watched now.
  boolean isWatching() {
    return watched().noneMatch(ResourceWatch::isLost)
        && podGroups.stream().noneMatch(PodGroupWatch::isLost)
        && !owners.isAnyLost()
        && !deviceWatch.isLost();
  }

  /// Returns how long any kind has not been watched.
  Duration blindFor() {
    return Stream.of(
            watched().map(ResourceWatch::blindFor),
            podGroups.stream().map(PodGroupWatch::blindFor),
            Stream.of(owners.blindFor(), deviceWatch.blindFor()))
        .flatMap(durations -> durations)
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }

  /// Returns the labels of a namespace; empty if the namespace is unknown.
  Optional<Map<String, String>> namespaceLabels(String namespace) {
    return namespaces.get(namespace).map(ObjectMetadata::labels);
  }

  /// True if a pod with these resource claims and templates may take GPUs.
  boolean claimsGpus(String namespace, Set<String> claims, Set<String> templates) {
    return devices.mayTakeGpus(namespace, claims, templates);
  }

  /// Returns the gangs of owners.
  OwnerGangs ownerGangs() {
    return owners.gangs();
  }

  /// Reads again some of the objects of which others say something new. To be called every second.
  ///
  /// These are pods and PodGroups of whose claims or owners there is news, and nodes of which
  /// claims select GPUs.
  synchronized void reread() {
    owners.reread(switches.changed());
    rereads.changed(devices.freed());
    deviceWatch.reread();
    podQueue.next();
  }

  /// Does the work of [#reread] for all that waits, in few rounds: tenants give news all the time.
  synchronized void rereadAll() {
    for (int round = 0; round < ROUNDS; round++) {
      owners.rereadAll(switches.changed());
      rereads.changed(devices.freed());
      deviceWatch.rereadAll();
      podQueue.readAll();
    }
  }

  /// Reads the records on PodGroups and pods, all of which were passed on.
  void recover() {
    podGroups.forEach(PodGroupWatch::recover);
    podSink.records().recover(() -> pods.again(GangRecords::areOn));
  }

  @Override
  public Optional<GenericKubernetesResource> find(GangId gang) {
    return groups(gang.origin()).flatMap(groups -> groups.find(gang));
  }

  @Override
  public Optional<PodCondition> admitted(MemberId pod) {
    return pod(pod).flatMap(ClusterWatches::admitted);
  }

  @Override
  public boolean claimsGpus(MemberId pod) {
    return pod(pod).stream()
        .map(devices::claimedBy)
        .anyMatch(claimed -> !claimed.equals(new ReadResult.Good<>(Resources.NONE)));
  }

  @Override
  public Optional<Pod> pod(MemberId pod) {
    return pods.get(pod.namespace() + "/" + pod.name())
        .filter(found -> pod.uid().equals(found.getMetadata().getUid()));
  }

  private static Optional<PodCondition> admitted(Pod pod) {
    return Optional.ofNullable(pod.getStatus()).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(condition -> WellKnownNames.POD_ADMITTED.equals(condition.getType()))
        .findFirst();
  }

  /// Returns the native PodGroups.
  NativeGroups nativeGroups() {
    return groups(GangId.Origin.NATIVE).<NativeGroups>map(all -> all).orElse(NativeGroups.NONE);
  }

  private Optional<PodGroupWatch> groups(GangId.Origin origin) {
    return podGroups.stream().filter(groups -> groups.origin() == origin).findFirst();
  }

  private void podAgain(String key) {
    pods.again(key);
  }

  private Optional<Integer> priority(String className) {
    return priorityClasses.get(className).map(PriorityClass::getValue);
  }

  @Override
  public void close() {
    watched().forEach(ResourceWatch::close);
    podGroups.forEach(PodGroupWatch::close);
    owners.close();
    deviceWatch.close();
  }

  /// Receiver of pods. The claims of a deleted pod are free for others.
  private final class Pods implements ResourceWatch.Sink<Pod> {
    @Override
    public void seen(String key, Pod pod) {
      rereads.seen(key, pod); // first, so no news is missed
      podSink.seen(key, pod);
    }

    @Override
    public void gone(String key) {
      rereads.gone(key);
      podSink.gone(key);
      devices.noPod(key);
    }
  }

  /// Reads nodes and pods again when their devices change.
  private final class Rereading implements DeviceWatch.Readers {
    @Override
    public void node(String name) {
      nodes.again(name);
    }

    @Override
    public void pod(String key) {
      pods.again(key);
    }

    @Override
    public void pods(Predicate<Pod> which) {
      podQueue.add(pods.keys(which));
    }

    @Override
    public void users(String claimOrTemplate) {
      rereads.changed(Set.of(claimOrTemplate));
    }
  }
}
