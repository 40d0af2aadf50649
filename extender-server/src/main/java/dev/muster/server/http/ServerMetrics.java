package dev.muster.server.http;

import dev.muster.core.cluster.GangPhase;
import dev.muster.core.decision.Decision;
import dev.muster.core.node.AvoidedNodes;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.policy.config.PodHold;
import dev.muster.server.http.extender.LastValueCache;
import dev.muster.server.metrics.SharedResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/// Metrics for Prometheus. Names start with `muster_`, units are base units, and no label has a
/// value per pod or gang. One has a value per node, but only for nodes that gangs avoid.
public final class ServerMetrics implements AutoCloseable {
  private static final Duration[] BUCKETS = {
    Duration.ofNanos(250_000),
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(2)
  };

  /// The maximum number of avoided nodes with a value: those that most gangs avoid.
  private static final int NODES_SHOWN = 100;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final Supplier<State> image;
  private final LastValueCache<State, ClusterTotals> tally =
      new LastValueCache<>(ClusterTotals::of);
  private final Map<String, Timer> requests = new ConcurrentHashMap<>();
  private final Timer steps;
  private final MultiGauge waitingGangs;
  private final MultiGauge waitingGpus;
  private final MultiGauge avoidedNodes;
  private final List<Runnable> refreshers = new CopyOnWriteArrayList<>();
  private final List<Consumer<Step>> watchers = new CopyOnWriteArrayList<>();
  private final SharedResult<HttpAnswer> page =
      new SharedResult<>(
          () -> HttpAnswer.text("text/plain; version=0.0.4; charset=utf-8", scrape()),
          work -> Thread.ofPlatform().daemon().name("muster-metrics").start(work));

  /// @param image newest published image; gauges read it when they are scraped
  public ServerMetrics(Supplier<State> image) {
    this.image = image;
    steps =
        Timer.builder("muster.engine.step.duration")
            .description("Duration of one step of the engine.")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
    gauges();
    for (Class<?> kind : Decision.class.getPermittedSubclasses()) {
      decisions(kind); // starts at 0, so that `increase()` sees the first one
    }
    waitingGangs = perReason("gangs", "Gangs that wait, by reason.");
    avoidedNodes =
        MultiGauge.builder("muster.node.avoiding.gangs")
            .description("Gangs that avoid the node because their members failed there.")
            .register(registry);
    waitingGpus = perReason("gpus", "GPUs that pods of waiting gangs request, by reason.");
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    gc.bindTo(registry);
  }

  private void gauges() {
    for (GangPhase phase : GangPhase.values()) {
      gauge("gangs", "phase", phase.name()).accept("Gangs, by phase.", t -> t.gangs(phase));
    }
    String gpus =
        "GPUs of all nodes: used by bound pods, promised to gangs that start, or free, including"
            + " those kept for a gang.";
    gauge("gpus", "state", "free").accept(gpus, ClusterTotals::freeGpus);
    gauge("gpus", "state", "used").accept(gpus, ClusterTotals::usedGpus);
    gauge("gpus", "state", "promised").accept(gpus, ClusterTotals::promisedGpus);
    Gauge.builder("muster.nodes", this, m -> m.now().nodes())
        .description("Nodes seen.")
        .register(registry);
  }

  private MultiGauge perReason(String what, String description) {
    return MultiGauge.builder("muster.waiting." + what).description(description).register(registry);
  }

  /// Adds a gauge that is 1 while the cluster is followed.
  public void watching(BooleanSupplier isWatching) {
    Gauge.builder("muster.watching", isWatching, is -> is.getAsBoolean() ? 1 : 0)
        .strongReference(true)
        .description(
            "Whether the API server is followed (1). It is 0 until everything was seen once, and during an"
                + " outage, when no timeout expires.")
        .register(registry);
  }

  /// Adds counters of the faults of watches.
  ///
  /// @param kinds every kind of fault
  /// @param count number of faults of a kind so far
  public <K extends Enum<K>> void watchFaults(K[] kinds, ToDoubleFunction<K> count) {
    for (K kind : kinds) {
      FunctionCounter.builder("muster.watch.faults", kind, count)
          .description("Watches that ended before their time, were refused, or were found dead.")
          .tag("fault", kind.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
  }

  /// Adds counters of records that objects refused, so that an owner may have made them unwritable.
  ///
  /// @param kinds every kind of record
  /// @param count number of refused records of a kind so far
  public <K extends Enum<K>> void refusedRecords(K[] kinds, ToDoubleFunction<K> count) {
    for (K kind : kinds) {
      FunctionCounter.builder("muster.records.refused", kind, count)
          .description("Records that PodGroups or pods refused, by kind.")
          .tag("record", kind.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
  }

  /// Adds a gauge that is 1 in the process that leads, and 0 in those on standby.
  public void leading(BooleanSupplier leads) {
    Gauge.builder("muster.leading", leads, does -> does.getAsBoolean() ? 1 : 0)
        .strongReference(true)
        .description("Whether this replica holds the Lease and acts (1) or is on standby (0).")
        .register(registry);
  }

  /// Adds gauges that show what keeps the pods of gangs from kube-scheduler until they start.
  public void keeping(Supplier<PodHold> hold) {
    for (PodHold one : List.of(PodHold.GATE, PodHold.NATIVE, PodHold.FILTER)) {
      Gauge.builder("muster.pod.hold", hold, now -> now.get() == one ? 1 : 0)
          .strongReference(true)
          .tag("by", one.word())
          .description("What keeps new pods of gangs until they start (1): see gangs.hold.")
          .register(registry);
    }
  }

  @FunctionalInterface
  private interface Registration {
    void accept(String description, ToDoubleFunction<ClusterTotals> value);
  }

  private Registration gauge(String name, String label, String value) {
    return (description, of) ->
        Gauge.builder("muster." + name, this, m -> of.applyAsDouble(m.now()))
            .tag(label, value.toLowerCase(Locale.ROOT))
            .description(description)
            .register(registry);
  }

  private ClusterTotals now() {
    return tally.of(image.get());
  }

  /// Counts one step of the engine and its decisions. Called on the engine's thread.
  public void stepped(Step step, Duration took) {
    steps.record(took);
    for (Decision decision : step.decisions()) {
      decisions(decision.getClass()).increment();
    }
    watchers.forEach(watcher -> watcher.accept(step));
  }

  private Counter decisions(Class<?> kind) {
    return Counter.builder("muster.decisions")
        .description("Decisions of the engine, by kind.")
        .tag("kind", kind.getSimpleName().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  /// Counts one HTTP request.
  void answered(String endpoint, String outcome, Duration took) {
    requests
        .computeIfAbsent(endpoint + " " + outcome, _ -> requestTimer(endpoint, outcome))
        .record(took);
  }

  private Timer requestTimer(String endpoint, String outcome) {
    return Timer.builder("muster.http.request.duration")
        .description(
            "Time from the request's head to the end of its answer, by endpoint and outcome.")
        .tag("endpoint", endpoint)
        .tag("outcome", outcome)
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  /// Adds an action that runs before each scrape, for gauges whose labels change.
  public void beforeScrape(Runnable refresh) {
    refreshers.add(refresh);
  }

  /// Adds a receiver of each step of the engine, called on the engine's thread.
  public void eachStep(Consumer<Step> watcher) {
    watchers.add(watcher);
  }

  /// Returns the registry, for meters of other components.
  public PrometheusMeterRegistry registry() {
    return registry;
  }

  /// Returns the page of all ports. Its text takes milliseconds, so one thread makes one at a time.
  SharedResult<HttpAnswer> page() {
    return page;
  }

  /// Returns all meters in the text format of Prometheus.
  synchronized String scrape() {
    waitingGangs.register(rows(ClusterTotals.Waiting::gangs), true);
    waitingGpus.register(rows(ClusterTotals.Waiting::gpus), true);
    avoidedNodes.register(avoidedRows(), true);
    refreshers.forEach(Runnable::run);
    return registry.scrape();
  }

  /// Returns the nodes that gangs of the most namespaces avoid, and the numbers of the gangs.
  private List<MultiGauge.Row<?>> avoidedRows() {
    Map<String, List<String>> namespaces = new TreeMap<>();
    for (var gang : image.get().cluster().avoidance().byGang().entries()) {
      for (AvoidedNodes.Failures known : gang.value().failures()) {
        if (known.until().isPresent()) {
          namespaces
              .computeIfAbsent(known.node().name(), _ -> new ArrayList<>())
              .add(gang.key().namespace());
        }
      }
    }
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    namespaces.entrySet().stream()
        .sorted(
            Comparator.comparingInt(
                    (Map.Entry<String, List<String>> node) -> Set.copyOf(node.getValue()).size())
                .thenComparingInt(node -> node.getValue().size())
                .reversed())
        .limit(NODES_SHOWN)
        .forEach(node ->
            rows.add(MultiGauge.Row.of(Tags.of("node", node.getKey()), node.getValue().size())));
    return rows;
  }

  private List<MultiGauge.Row<?>> rows(ToDoubleFunction<ClusterTotals.Waiting> value) {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    now()
        .waiting()
        .forEach((reason, waiting) ->
            rows.add(MultiGauge.Row.of(Tags.of("reason", reason), value.applyAsDouble(waiting))));
    return rows;
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
