package dev.muster.server.kube;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
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

/// Follows the cluster and puts what changes into the mailbox.
///
/// Once every kind was listed, all of it is passed on and `Synced` follows. From then on changes
/// come as they happen, a tick every second, and at each resync whatever notice was missed; what
/// has been [silent][Silence] for long is looked into. There is no tick during an [Outage]; the
/// first one after it follows all that was missed, and tells how much time was lost. Who does not
/// [lead][Leadership] yet passes on all the same, but `Synced`: so nothing is decided.
public final class KubeInbox implements GangObjects, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KubeInbox.class);
  private static final Duration CHECK = Duration.ofMinutes(1);
  private static final Duration LISTEN = Duration.ofSeconds(5);

  private final Mailbox mailbox;
  private final BooleanSupplier leads;
  private final InstantSource clock;
  private final Watched<Namespace> namespaces;
  private final Watched<PriorityClass> priorityClasses;
  private final Watched<Node> nodes;
  private final Watched<Pod> pods;
  private final List<PodGroupWatch> podGroups;
  private final Devices devices;
  private final DeviceWatch deviceWatch;
  private final Problems problems;
  private final StrayGates strays;
  private final ScheduledExecutorService keeper = timer("muster-inbox");
  private final ScheduledExecutorService ticker = timer("muster-tick");
  private final ScheduledExecutorService prober = timer("muster-reach");
  private final Outage outage = new Outage();
  private volatile boolean synced;
  private volatile boolean closed;
  private boolean blind;

  /// What an inbox reads and whom it tells.
  ///
  /// @param client where the cluster is
  /// @param served whether the cluster serves PodGroups, or devices, of an API version
  /// @param mailbox where events go
  /// @param leads whether this process may act: until then the cluster is followed, but neither
  ///   `Synced` nor a problem is told
  /// @param reporter told of every object that makes no sense
  /// @param opener takes our gate off a pod that is not ours
  /// @param clock the time of events
  record Ends(
      KubernetesClient client,
      Predicate<String> served,
      Mailbox mailbox,
      BooleanSupplier leads,
      Consumer<Problem> reporter,
      Consumer<MemberId> opener,
      InstantSource clock) {}

  private KubeInbox(Ends ends, KubeSettings settings) {
    mailbox = ends.mailbox();
    leads = ends.leads();
    clock = ends.clock();
    KubernetesClient client = ends.client();
    ToldFacts facts = new ToldFacts(mailbox::put, clock);
    problems = new Problems(leads, ends.reporter());
    strays = new StrayGates(ends.opener());
    namespaces =
        new Watched<>(
            Kind.of("namespaces", client, "/api/v1/namespaces", client.namespaces()),
            SlimStore.of(),
            quiet());
    priorityClasses =
        new Watched<>(
            Kind.of(
                "priority classes",
                client,
                "/apis/scheduling.k8s.io/v1/priorityclasses",
                client.scheduling().v1().priorityClasses()),
            SlimStore.of(),
            new Priorities());
    var groupEnds = new PodGroupWatch.Ends(client, ends.served(), facts, problems);
    podGroups =
        Stream.of(Dialect.values())
            .map(
                dialect -> new PodGroupWatch(groupEnds, new PodGroupCodec(dialect, this::priority)))
            .toList();
    devices = new Devices(settings.accelerators());
    var nodeCodec = new NodeCodec(settings.accelerators(), settings.faultConditions(), devices::of);
    nodes =
        new Watched<>(
            Kind.of("nodes", client, "/api/v1/nodes", client.nodes()),
            SlimStore.of(),
            new NodeSink(nodeCodec, facts, problems));
    var podCodec =
        new PodCodec(settings.accelerators(), settings.schedulerNames(), devices::claimedBy);
    pods =
        new Watched<>(
            Kind.of("pods", client, "/api/v1/pods", client.pods().inAnyNamespace()),
            SlimStore.ofPods(),
            new PodSink(podCodec, facts, problems, strays, clock));
    deviceWatch =
        new DeviceWatch(new DeviceWatch.Ends(client, ends.served(), devices, new Rereading()));
  }

  /// Starts to follow the cluster; does not wait for it.
  static KubeInbox start(Ends ends, KubeSettings settings) {
    KubeInbox inbox = new KubeInbox(ends, settings);
    inbox.every(inbox.ticker, Duration.ofSeconds(1), inbox::tick);
    inbox.keeper.execute(inbox::awaitAll);
    inbox.every(inbox.keeper, CHECK, inbox::check);
    inbox.every(inbox.keeper, settings.resync(), inbox::reconcile);
    Reach reach = new Reach(new Api(ends.client()));
    inbox.every(inbox.prober, LISTEN, () -> inbox.look(reach));
    inbox.every(inbox.prober, LISTEN, inbox::listen);
    return inbox;
  }

  private void look(Reach reach) {
    if (!synced || !isWatching()) {
      reach.look();
    }
  }

  private void tick() {
    boolean wasBlind = blind;
    boolean inDoubt = isInDoubt();
    blind = outage.goesOn(!isWatching() || inDoubt, clock.instant());
    if (!blind) {
      if (wasBlind) {
        all().forEach(Watched::catchUp);
      }
      problems.tell();
      if (synced) { // before that nobody knows what is ours
        strays.open(clock.instant());
      }
      if (mailbox.tick(new Event.Tick(clock.instant(), outage.missed()))) {
        outage.told();
      }
    }
    outage.looked(clock.instant());
  }

  /// Whether another may lead by now: nothing that is decided would be done.
  private boolean isInDoubt() {
    return synced && !leads.getAsBoolean();
  }

  /// Looks until everything was seen.
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
      groups().forEach(Watched::reconcile); // they may have come before their priority classes
      all().forEach(Watched::catchUp);
      problems.tell();
      mailbox.put(new Event.Synced(clock.instant()));
      synced = true;
      log.info("All that exists was seen; decisions begin.");
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
    all().forEach(Watched::reconcile);
  }

  /// All that is followed; what others are understood by comes before them.
  private Stream<Watched<?>> all() {
    return Stream.of(
            Stream.of(priorityClasses, namespaces),
            groups(),
            deviceWatch.watched(),
            Stream.of(nodes, pods))
        .flatMap(kinds -> kinds);
  }

  private Stream<Watched<?>> groups() {
    return podGroups.stream().flatMap(PodGroupWatch::watched);
  }

  private Stream<Watched<?>> watched() {
    return Stream.of(namespaces, priorityClasses, nodes, pods);
  }

  /// Whether everything that exists was seen once, and passed on.
  public boolean isSynced() {
    return synced;
  }

  /// Whether everything that exists was listed once, which one who stands by does too. What is new
  /// since then, as an API that was installed, need not have been.
  boolean isListed() {
    return synced
        || (watched().allMatch(Watched::isSynced)
            && podGroups.stream().allMatch(PodGroupWatch::isSynced)
            && deviceWatch.isSynced());
  }

  /// Whether all kinds that ever were are being followed right now; false during an outage of the
  /// API server.
  public boolean isWatching() {
    return watched().noneMatch(Watched::isLost)
        && podGroups.stream().noneMatch(PodGroupWatch::isLost)
        && !deviceWatch.isLost();
  }

  /// The labels of a namespace; none when it is not known.
  public Map<String, String> namespaceLabels(String namespace) {
    return namespaces
        .get(namespace)
        .map(known -> known.getMetadata().getLabels())
        .orElseGet(Map::of);
  }

  /// Whether a pod that names these resource claims and templates asks for GPUs that can be
  /// counted, as far as that is known.
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
        .anyMatch(claimed -> !claimed.equals(new Read.Good<>(Resources.NONE)));
  }

  private Optional<Pod> find(MemberId pod) {
    return pods.get(pod.namespace() + "/" + pod.name())
        .filter(found -> pod.uid().equals(found.getMetadata().getUid()));
  }

  private static Optional<PodCondition> admitted(Pod pod) {
    return Optional.ofNullable(pod.getStatus()).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(condition -> Names.POD_ADMITTED.equals(condition.getType()))
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
    watched().forEach(Watched::close);
    podGroups.forEach(PodGroupWatch::close);
    deviceWatch.close();
    keeper.shutdownNow(); // what it is at fails now, after all know that this is the end
  }

  private static ScheduledExecutorService timer(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        Thread.ofPlatform().name(name).daemon().factory());
  }

  private void every(ScheduledExecutorService timer, Duration pause, Runnable task) {
    long millis = pause.toMillis();
    var _ = timer.scheduleWithFixedDelay(guarded(task), millis, millis, TimeUnit.MILLISECONDS);
  }

  // A scheduled task that throws anything would never run again, and say nothing. At the end one
  // that is still under way may find the client closed.
  Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        if (!closed) {
          log.error("Following the cluster failed and is tried again.", e);
        }
      }
    };
  }

  private static <T> Watched.Sink<T> quiet() {
    return new Watched.Sink<>() {
      @Override
      public void seen(String key, T object) {}

      @Override
      public void gone(String key) {}
    };
  }

  /// A priority class that comes, changes or goes changes the gangs that name it.
  private final class Priorities implements Watched.Sink<PriorityClass> {
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
        groups().forEach(Watched::reconcile);
      }
    }
  }

  /// What is said of devices is part of what nodes and pods say.
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
