package dev.muster.server.kube;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.ApiProbe;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.client.ResourceKind;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.NodeCodec;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodGroupCodec;
import dev.muster.server.kube.dra.DeviceInventory;
import dev.muster.server.kube.watch.ChangeFilter;
import dev.muster.server.kube.watch.DeviceWatch;
import dev.muster.server.kube.watch.NodeSink;
import dev.muster.server.kube.watch.ObjectProblems;
import dev.muster.server.kube.watch.OrphanedGates;
import dev.muster.server.kube.watch.OutageTracker;
import dev.muster.server.kube.watch.PodGroupWatch;
import dev.muster.server.kube.watch.PodSink;
import dev.muster.server.kube.watch.ResourceWatch;
import dev.muster.server.kube.watch.TrimmedStore;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the cluster and puts changes into the mailbox.
///
/// - Once every kind is listed, all objects are passed on, followed by `Synced`.
/// - After that, changes are passed on as they happen, with a tick every second. Each resync passes
///   on changes whose notice was lost.
/// - A watch that has been [silent][StalledWatchDetector] for long is checked.
/// - There is no tick during an [OutageTracker]. The first tick after it follows all missed changes
///   and carries the lost time.
/// - A process that does not [lead][Leadership] passes on everything but `Synced`, so nothing is
///   decided.
public final class KubeInbox implements GangObjects, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KubeInbox.class);
  private static final Duration CHECK = Duration.ofMinutes(1);
  private static final Duration LISTEN = Duration.ofSeconds(5);

  private final Mailbox mailbox;
  private final BooleanSupplier leads;
  private final InstantSource clock;
  private final ResourceWatch<Namespace> namespaces;
  private final ResourceWatch<PriorityClass> priorityClasses;
  private final ResourceWatch<Node> nodes;
  private final ResourceWatch<Pod> pods;
  private final List<PodGroupWatch> podGroups;
  private final DeviceInventory devices;
  private final DeviceWatch deviceWatch;
  private final ObjectProblems problems;
  private final OrphanedGates strays;
  private final ScheduledExecutorService keeper = timer("muster-inbox");
  private final ScheduledExecutorService ticker = timer("muster-tick");
  private final ScheduledExecutorService prober = timer("muster-reach");
  private final OutageTracker outage = new OutageTracker();
  private volatile boolean synced;
  private volatile boolean closed;
  private boolean blind;

  /// The inputs and outputs of an inbox.
  ///
  /// @param client access to the cluster
  /// @param served true if the cluster serves PodGroups, or devices, of an API version
  /// @param mailbox destination of events
  /// @param leads true if this process may act; until then the cluster is watched, but neither
  ///   `Synced` nor problems are reported
  /// @param reporter receiver of the problems of invalid objects
  /// @param opener removes Muster's gate from an unmanaged pod
  /// @param clock time of events
  public record Ends(
      KubernetesClient client,
      Predicate<String> served,
      Mailbox mailbox,
      BooleanSupplier leads,
      Consumer<ObjectProblem> reporter,
      Consumer<MemberId> opener,
      InstantSource clock) {}

  private KubeInbox(Ends ends, KubeSettings settings) {
    mailbox = ends.mailbox();
    leads = ends.leads();
    clock = ends.clock();
    KubernetesClient client = ends.client();
    ChangeFilter facts = new ChangeFilter(mailbox::put, clock);
    problems = new ObjectProblems(leads, ends.reporter());
    strays = new OrphanedGates(ends.opener());
    namespaces =
        new ResourceWatch<>(
            ResourceKind.of("namespaces", client, "/api/v1/namespaces", client.namespaces()),
            TrimmedStore.of(),
            quiet());
    priorityClasses =
        new ResourceWatch<>(
            ResourceKind.of(
                "priority classes",
                client,
                "/apis/scheduling.k8s.io/v1/priorityclasses",
                client.scheduling().v1().priorityClasses()),
            TrimmedStore.of(),
            new Priorities());
    var groupEnds = new PodGroupWatch.Ends(client, ends.served(), facts, problems);
    podGroups =
        Stream.of(PodGroupDialect.values())
            .map(
                dialect -> new PodGroupWatch(groupEnds, new PodGroupCodec(dialect, this::priority)))
            .toList();
    devices = new DeviceInventory(settings.accelerators());
    var nodeCodec = new NodeCodec(settings.accelerators(), settings.faultConditions(), devices::of);
    nodes =
        new ResourceWatch<>(
            ResourceKind.of("nodes", client, "/api/v1/nodes", client.nodes()),
            TrimmedStore.of(),
            new NodeSink(nodeCodec, facts, problems));
    var podCodec =
        new PodCodec(settings.accelerators(), settings.schedulerNames(), devices::claimedBy);
    pods =
        new ResourceWatch<>(
            ResourceKind.of("pods", client, "/api/v1/pods", client.pods().inAnyNamespace()),
            TrimmedStore.ofPods(),
            new PodSink(podCodec, facts, problems, strays, clock));
    deviceWatch =
        new DeviceWatch(new DeviceWatch.Ends(client, ends.served(), devices, new Rereading()));
  }

  /// Starts watching the cluster; returns without waiting for it.
  public static KubeInbox start(Ends ends, KubeSettings settings) {
    KubeInbox inbox = new KubeInbox(ends, settings);
    inbox.every(inbox.ticker, Duration.ofSeconds(1), inbox::tick);
    inbox.keeper.execute(inbox::awaitAll);
    inbox.every(inbox.keeper, CHECK, inbox::check);
    inbox.every(inbox.keeper, settings.resync(), inbox::reconcile);
    ApiProbe probe = new ApiProbe(new ApiCalls(ends.client()));
    inbox.every(inbox.prober, LISTEN, () -> inbox.look(probe));
    inbox.every(inbox.prober, LISTEN, inbox::listen);
    return inbox;
  }

  private void look(ApiProbe probe) {
    if (!synced || !isWatching()) {
      probe.look();
    }
  }

  private void tick() {
    boolean wasBlind = blind;
    boolean inDoubt = isInDoubt();
    blind = outage.goesOn(!isWatching() || inDoubt, clock.instant());
    if (!blind) {
      if (wasBlind) {
        all().forEach(ResourceWatch::catchUp);
      }
      problems.tell();
      if (synced) { // before, claims and PodGroups of the pods may be unknown
        strays.open(clock.instant());
      }
      if (mailbox.tick(new Event.Tick(clock.instant(), outage.missed()))) {
        outage.told();
      }
    }
    outage.looked(clock.instant());
  }

  /// True if another process may lead by now. Then no decision would be executed.
  private boolean isInDoubt() {
    return synced && !leads.getAsBoolean();
  }

  /// Repeats the first synchronization until all objects were read.
  private void awaitAll() {
    guarded(this::sync).run();
    if (!synced && !closed) {
      var _ = keeper.schedule(this::awaitAll, 200, TimeUnit.MILLISECONDS);
    }
  }

  private void sync() {
    podGroups.stream().filter(groups -> !groups.isAsked()).forEach(PodGroupWatch::check);
    if (!deviceWatch.isAsked()) {
      deviceWatch.check();
    }
    if (isListed() && leads.getAsBoolean()) {
      groups()
          .forEach(ResourceWatch::reconcile); // their priority classes may have been listed later
      all().forEach(ResourceWatch::catchUp);
      problems.tell();
      mailbox.put(new Event.Synced(clock.instant()));
      synced = true;
      log.info("All existing objects were read; scheduling starts.");
    }
  }

  private void listen() {
    Instant now = clock.instant();
    all().forEach(kind -> kind.listen(now));
  }

  private void check() {
    podGroups.forEach(PodGroupWatch::check);
    deviceWatch.check();
  }

  private void reconcile() {
    all().forEach(ResourceWatch::reconcile);
  }

  /// Returns all watches. A kind that others refer to precedes them.
  private Stream<ResourceWatch<?>> all() {
    return Stream.of(
            Stream.of(priorityClasses, namespaces),
            groups(),
            deviceWatch.watched(),
            Stream.of(nodes, pods))
        .flatMap(kinds -> kinds);
  }

  private Stream<ResourceWatch<?>> groups() {
    return podGroups.stream().flatMap(PodGroupWatch::watched);
  }

  private Stream<ResourceWatch<?>> watched() {
    return Stream.of(namespaces, priorityClasses, nodes, pods);
  }

  /// True if all existing objects were read once and passed on.
  public boolean isSynced() {
    return synced;
  }

  /// True if all existing objects were listed once, also in a standby process. Kinds whose API was
  /// installed later may be missing.
  boolean isListed() {
    return synced
        || (watched().allMatch(ResourceWatch::isSynced)
            && podGroups.stream().allMatch(PodGroupWatch::isSynced)
            && deviceWatch.isSynced());
  }

  /// True if every kind that was ever watched is watched now. False during an outage of the API
  /// server.
  public boolean isWatching() {
    return watched().noneMatch(ResourceWatch::isLost)
        && podGroups.stream().noneMatch(PodGroupWatch::isLost)
        && !deviceWatch.isLost();
  }

  /// Returns the labels of a namespace; empty if the namespace is unknown.
  public Map<String, String> namespaceLabels(String namespace) {
    return namespaces
        .get(namespace)
        .map(known -> known.getMetadata().getLabels())
        .orElseGet(Map::of);
  }

  /// True if a pod with these resource claims and templates is known to request countable GPUs.
  public boolean claimsGpus(String namespace, Set<String> claims, Set<String> templates) {
    return devices.areGpus(keys(namespace, claims), keys(namespace, templates));
  }

  private static List<String> keys(String namespace, Set<String> names) {
    return names.stream().map(name -> namespace + "/" + name).toList();
  }

  @Override
  public Optional<GenericKubernetesResource> find(GangId gang) {
    return podGroups.stream()
        .filter(groups -> groups.origin() == gang.origin())
        .findFirst()
        .flatMap(groups -> groups.find(gang));
  }

  @Override
  public Optional<PodCondition> admitted(MemberId pod) {
    return find(pod).flatMap(KubeInbox::admitted);
  }

  @Override
  public boolean claimsGpus(MemberId pod) {
    return find(pod).stream()
        .map(devices::claimedBy)
        .anyMatch(claimed -> !claimed.equals(new ReadResult.Good<>(Resources.NONE)));
  }

  private Optional<Pod> find(MemberId pod) {
    return pods.get(pod.namespace() + "/" + pod.name())
        .filter(found -> pod.uid().equals(found.getMetadata().getUid()));
  }

  private static Optional<PodCondition> admitted(Pod pod) {
    return Optional.ofNullable(pod.getStatus()).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(condition -> WellKnownNames.POD_ADMITTED.equals(condition.getType()))
        .findFirst();
  }

  private Optional<Integer> priority(String className) {
    return priorityClasses.get(className).map(PriorityClass::getValue);
  }

  @Override
  public void close() {
    closed = true;
    prober.shutdownNow();
    ticker.shutdownNow();
    watched().forEach(ResourceWatch::close);
    podGroups.forEach(PodGroupWatch::close);
    deviceWatch.close();
    keeper.shutdownNow(); // its current call fails now, after all parts know of the shutdown
  }

  private static ScheduledExecutorService timer(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        Thread.ofPlatform().name(name).daemon().factory());
  }

  private void every(ScheduledExecutorService timer, Duration pause, Runnable task) {
    long millis = pause.toMillis();
    var _ = timer.scheduleWithFixedDelay(guarded(task), millis, millis, TimeUnit.MILLISECONDS);
  }

  // A scheduled task that throws would silently never run again. During shutdown, a running task
  // may find the client closed.
  Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        if (!closed) {
          log.error("A task that watches the cluster failed; it is retried.", e);
        }
      }
    };
  }

  private static <T> ResourceWatch.Sink<T> quiet() {
    return new ResourceWatch.Sink<>() {
      @Override
      public void seen(String key, T object) {}

      @Override
      public void gone(String key) {}
    };
  }

  /// Receiver of priority classes. A change affects the gangs that name the class.
  private final class Priorities implements ResourceWatch.Sink<PriorityClass> {
    private final Map<String, Integer> values = new ConcurrentHashMap<>();

    @Override
    public void seen(String key, PriorityClass object) {
      Integer value = Objects.requireNonNullElse(object.getValue(), 0);
      regroup(!value.equals(values.put(key, value)));
    }

    @Override
    public void gone(String key) {
      regroup(values.remove(key) != null);
    }

    private void regroup(boolean changed) {
      if (synced && changed) {
        groups().forEach(ResourceWatch::reconcile);
      }
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
      pods.again(which);
    }
  }
}
