package dev.muster.server.metrics;

import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.state.State;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Gauges of the GPUs of the cluster and of the longest wait. They are computed at each scrape, in
/// time linear in nodes and gangs: each node is visited once, however many levels there are.
public final class FleetMetrics {
  private final Supplier<State> image;
  private final QueueLabel queues;
  private final MultiGauge gpus;
  private final MultiGauge blocks;
  private final MultiGauge oldest;

  /// @param image newest published image
  /// @param queues the configured queues
  /// @param clock measures the age of the image
  public FleetMetrics(
      MeterRegistry registry, Supplier<State> image, Queues queues, InstantSource clock) {
    this.image = image;
    this.queues = QueueLabel.of(queues);
    gpus =
        MultiGauge.builder("muster.model.gpus")
            .description(
                "GPUs by model and state: used, promised, free, or out: not used, on a node that takes no pods.")
            .register(registry);
    blocks =
        MultiGauge.builder("muster.largest.free.block.gpus")
            .description("Most free GPUs in one domain of the level, by model.")
            .register(registry);
    oldest =
        MultiGauge.builder("muster.oldest.waiting.seconds")
            .description("Longest time for which a complete gang of the queue has been waiting.")
            .register(registry);
    Gauge.builder("muster.image.age.seconds", image, now -> age(now.get(), clock))
        .description("Time since the newest image of the cluster.")
        .strongReference(true)
        .register(registry);
  }

  private static double age(State state, InstantSource clock) {
    Instant last = state.cluster().now();
    return last.equals(Instant.EPOCH)
        ? Double.NaN // nothing was seen yet
        : Math.max(0, seconds(Duration.between(last, clock.instant())));
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }

  /// Computes the gauges anew.
  public void refresh() {
    State state = image.get();
    Cluster cluster = state.cluster();
    GpuTally tally = GpuTally.of(cluster);
    gpus.register(rows(tally.byState()), true);
    blocks.register(rows(tally.largest()), true);
    oldest.register(waitRows(state), true);
  }

  private List<MultiGauge.Row<?>> waitRows(State state) {
    Cluster cluster = state.cluster();
    Map<String, Double> waits = new TreeMap<>();
    queues.values().forEach(queue -> waits.put(queue, 0.0));
    for (Gang gang : cluster.gangs()) {
      if (cluster.phase(gang.id()) == GangPhase.PENDING) {
        double wait = seconds(WaitingTime.of(gang, state));
        waits.merge(queues.of(gang.queue()), wait, Math::max);
      }
    }
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    waits.forEach((queue, wait) -> rows.add(MultiGauge.Row.of(Tags.of("queue", queue), wait)));
    return rows;
  }

  private static List<MultiGauge.Row<?>> rows(Map<Tags, Integer> counts) {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    counts.forEach((tags, count) -> rows.add(MultiGauge.Row.of(tags, count)));
    return rows;
  }
}
