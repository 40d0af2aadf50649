package dev.muster.server.kube;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.server.kube.client.ApiProbe;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.Kubeconfig;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.owner.WantedPodGroup;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.start.NativeGroups;
import dev.muster.server.kube.watch.ChangeFilter;
import dev.muster.server.kube.watch.ObjectProblems;
import dev.muster.server.kube.watch.OrphanedGates;
import dev.muster.server.kube.watch.OutageTracker;
import dev.muster.server.kube.watch.ResourceWatch;
import dev.muster.server.kube.watch.WatchHealth;
import dev.muster.server.logging.LogThrottle;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the cluster and puts changes into the mailbox.
///
/// - Once every kind is listed and watched, all objects are passed on, followed by `Synced`.
/// - After that, changes are passed on as they happen, with a tick every second. Each resync passes
///   on changes whose notice was lost.
/// - A watch that has been [silent][StalledWatchDetector] for long is checked.
/// - While the cluster is not seen, the mailbox keeps all events. So nothing is decided on an image
///   of which a part may be out of date.
/// - There is no tick during an [OutageTracker]. The first tick after it follows all missed changes
///   and carries the lost time.
/// - A process that does not [lead][Leadership] passes on everything but `Synced`, so nothing is
///   decided.
public final class KubeInbox implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KubeInbox.class);
  private static final Duration CHECK = Duration.ofMinutes(1);
  private static final Duration LISTEN = Duration.ofSeconds(3);
  private static final Duration PROBE = Duration.ofSeconds(3);

  /// Time without any answer of the API server after which the cluster is not seen. Two failed
  /// probes fit into it.
  private static final Duration SILENT = Duration.ofSeconds(10);

  /// Time in which watches begin again and report what was missed.
  private static final Duration REOPENED_IN = Duration.ofSeconds(1);

  private final Mailbox mailbox;
  private final BooleanSupplier leads;
  private final InstantSource clock;
  private final KubernetesClient watching;
  private final KubernetesClient probing;
  private final WatchHealth health;
  private final ChangeFilter facts;
  private final ClusterWatches watches;
  private final ObjectProblems problems;
  private final OrphanedGates strays;
  private final ScheduledExecutorService keeper = timer("muster-inbox");
  private final ScheduledExecutorService ticker = timer("muster-tick");
  private final ScheduledExecutorService listener = timer("muster-listen");
  private final ScheduledExecutorService prober = timer("muster-reach");
  private final OutageTracker outage = new OutageTracker();
  private final LogThrottle throttle = new LogThrottle();
  private volatile long answeredAt = System.nanoTime();
  private volatile boolean synced;
  private volatile boolean closed;
  private boolean blind;

  /// The inputs and outputs of an inbox.
  ///
  /// @param client access to the cluster
  /// @param served true if the cluster serves PodGroups, or devices, of an API version; or a kind
  ///   of owner, as `group/version/Kind`
  /// @param mailbox destination of events
  /// @param leads true if this process may act; until then the cluster is watched, but neither
  ///   `Synced` nor problems are reported
  /// @param reporter receiver of the problems of invalid objects
  /// @param opener removes Muster's gate from an unmanaged pod
  /// @param maker creates or changes the PodGroup of an owner
  /// @param promised true if a node is promised to the pod
  /// @param clock time of events
  public record Ends(
      KubernetesClient client,
      Predicate<String> served,
      Mailbox mailbox,
      BooleanSupplier leads,
      Consumer<ObjectProblem> reporter,
      Consumer<MemberId> opener,
      Consumer<WantedPodGroup> maker,
      Predicate<Member> promised,
      InstantSource clock) {
    /// Creates ends of an inbox whose owners get no PodGroups, and without an engine.
    public Ends(
        KubernetesClient client,
        Predicate<String> served,
        Mailbox mailbox,
        BooleanSupplier leads,
        Consumer<ObjectProblem> reporter,
        Consumer<MemberId> opener,
        InstantSource clock) {
      this(client, served, mailbox, leads, reporter, opener, _ -> {}, _ -> false, clock);
    }
  }

  private KubeInbox(Ends ends, KubeSettings settings) {
    mailbox = ends.mailbox();
    leads = ends.leads();
    clock = ends.clock();
    problems = new ObjectProblems(leads, ends.reporter());
    strays = new OrphanedGates(ends.opener());
    health = new WatchHealth(clock);
    watching = Kubeconfig.separate(ends.client());
    probing = Kubeconfig.separate(ends.client());
    facts = new ChangeFilter(mailbox::put, clock, ends.promised());
    watches =
        new ClusterWatches(
            watching,
            ends,
            settings,
            new ClusterWatches.Receivers(facts, problems, strays, this::regroup, health));
    mailbox.holdWhile(() -> synced && !isWatching());
  }

  /// Starts watching the cluster; returns without waiting for it.
  public static KubeInbox start(Ends ends, KubeSettings settings) {
    KubeInbox inbox = new KubeInbox(ends, settings);
    inbox.every(inbox.ticker, Duration.ofSeconds(1), inbox::tick);
    inbox.keeper.execute(inbox::awaitAll);
    inbox.every(inbox.keeper, CHECK, inbox.watches::check);
    inbox.every(inbox.keeper, settings.resync(), inbox::reconcile);
    ApiProbe probe = new ApiProbe(inbox.probing);
    inbox.every(inbox.prober, PROBE, () -> inbox.look(probe));
    inbox.every(inbox.listener, LISTEN, inbox::listen);
    return inbox;
  }

  private void look(ApiProbe probe) {
    boolean answers = probe.look();
    if (!answers) { // its connection may have died; the next one is new
      answers = probe.look();
    }
    if (answers && isSilent()) { // connections from before are likely to be dead
      watches.all().forEach(ResourceWatch::reopen);
      answers = Retries.sleep(REOPENED_IN);
    }
    if (answers) {
      answeredAt = System.nanoTime();
    }
  }

  private boolean isSilent() {
    return silentFor().compareTo(SILENT) > 0;
  }

  private Duration silentFor() {
    return Duration.ofNanos(System.nanoTime() - answeredAt);
  }

  private void tick() {
    boolean wasBlind = blind;
    Instant now = clock.instant();
    boolean seen = isWatching();
    blind = outage.goesOn(!seen || isInDoubt(), seen ? now : now.minus(blindFor()), now);
    if (synced && !seen && throttle.isNew("blind")) {
      log.warn(
          "The cluster has not been seen completely for {} s. No decisions are made until it is.",
          blindFor().toSeconds());
    }
    if (!blind) {
      if (wasBlind) {
        watches.all().forEach(ResourceWatch::catchUp);
      }
      watches.reread();
      problems.report();
      if (synced) { // before, claims and PodGroups of the pods may be unknown
        strays.open(clock.instant());
        watches.ownerGangs().settle();
      }
      if (mailbox.tick(new Event.Tick(clock.instant(), outage.missed()))) {
        outage.reported();
      }
    }
    outage.looked(clock.instant());
  }

  /// Returns how long ago the cluster was last seen completely.
  private Duration blindFor() {
    Duration watches = this.watches.blindFor();
    Duration silent = silentFor();
    return watches.compareTo(silent) > 0 || !isSilent() ? watches : silent;
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
    watches.checkUnasked();
    if (isListed() && isWatching() && leads.getAsBoolean()) {
      watches
          .groups()
          .forEach(ResourceWatch::reconcile); // their priority classes may have been listed later
      watches.all().forEach(ResourceWatch::catchUp);
      watches.rereadAll(); // pods may have been listed before their owners
      watches.recover();
      problems.report();
      facts.synced();
      synced = true;
      log.info("All existing objects were read; scheduling starts.");
    }
  }

  private void listen() {
    Instant now = clock.instant();
    try (var checks = Executors.newVirtualThreadPerTaskExecutor()) {
      watches.all().forEach(kind -> checks.execute(guarded(() -> kind.listen(now))));
    }
  }

  private void reconcile() {
    watches.all().forEach(ResourceWatch::reconcile);
  }

  /// Reads the gangs again, because the value of a priority class changed.
  private void regroup() {
    if (synced) {
      watches.groups().forEach(ResourceWatch::reconcile);
    }
  }

  /// True if all existing objects were read once and passed on.
  public boolean isSynced() {
    return synced;
  }

  /// True if all existing objects were listed once, also in a standby process. Kinds whose API was
  /// installed later may be missing.
  boolean isListed() {
    return synced || watches.isListed();
  }

  /// True if every kind that was ever listed is watched now, and the API server answers. False
  /// during an outage of the API server.
  public boolean isWatching() {
    return watches.isWatching() && !isSilent();
  }

  /// Returns the number of faults of watches so far.
  long watchFaults(WatchHealth.Fault fault) {
    return health.count(fault);
  }

  /// Returns the labels of a namespace; empty if the namespace is unknown.
  public Optional<Map<String, String>> namespaceLabels(String namespace) {
    return watches.namespaceLabels(namespace);
  }

  /// True if a pod with these resource claims and templates may take GPUs.
  public boolean claimsGpus(String namespace, Set<String> claims, Set<String> templates) {
    return watches.claimsGpus(namespace, claims, templates);
  }

  /// Returns the gang that the owner of the pod has; empty if it has none. While the owners are not
  /// listed, it is the one that the pod may be in.
  public Optional<GangId> ownerGang(OwnedPod pod) {
    return isListed() ? watches.ownerGangs().gangOf(pod) : watches.ownerGangs().mayBeIn(pod);
  }

  /// Returns the current PodGroups and pods.
  GangObjects objects() {
    return watches;
  }

  /// Returns the current native PodGroups.
  NativeGroups nativeGroups() {
    return watches.nativeGroups();
  }

  @Override
  public void close() {
    closed = true;
    prober.shutdownNow();
    listener.shutdownNow();
    ticker.shutdownNow();
    watches.close();
    keeper.shutdownNow(); // its current call fails now, after all parts know of the shutdown
    watching.close();
    probing.close();
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
}
