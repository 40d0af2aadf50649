package dev.muster.server.metrics;

import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.state.State;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/// Metrics of the configured queues. Queues that are not configured are left out, so that no name
/// from a user becomes a label.
///
/// @param registry registry of the gauges
/// @param image newest published image; gauges read it when they are scraped
/// @param queues the configured queues
public record QueueMetrics(MeterRegistry registry, Supplier<State> image, Queues queues) {
  /// Registers the gauges.
  public void register() {
    for (Queue queue : queues.byName()) {
      of(queue);
    }
  }

  private void of(Queue queue) {
    FairShare order = new FairShare(queues);
    account(
        queue, "gpus.used", "GPUs used by or promised to gangs of the queue.", QueueUsage::inUse);
    account(queue, "gangs.waiting", "Gangs that wait as a whole.", QueueUsage::waitingGangs);
    account(
        queue,
        "gpus.waiting",
        "GPUs requested by gangs that wait as a whole.",
        QueueUsage::waitingGpus);
    gauge(
        queue,
        "share.gpu.hours",
        "Decayed GPU-hours used, plus one for each GPU in use, divided by the weight; lower goes first.",
        cluster -> order.share(cluster, queue.name()) / 1000.0);
    queue
        .guaranteed()
        .gpus()
        .ifPresent(gpus -> gauge(queue, "gpus.guaranteed", "GPUs guaranteed.", _ -> gpus));
    queue
        .maximum()
        .gpus()
        .ifPresent(gpus -> gauge(queue, "gpus.max", "Maximum of GPUs in use.", _ -> gpus));
  }

  private void account(
      Queue queue, String name, String description, ToDoubleFunction<QueueUsage> value) {
    gauge(
        queue,
        name,
        description,
        cluster -> value.applyAsDouble(cluster.ledger().account(queue.name())));
  }

  private void gauge(
      Queue queue, String name, String description, ToDoubleFunction<Cluster> value) {
    Gauge.builder("muster.queue." + name, image, now -> value.applyAsDouble(now.get().cluster()))
        .tag("queue", queue.name())
        .description(description)
        .strongReference(true)
        .register(registry);
  }
}
