package dev.muster.server;

import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.config.PreemptionFields;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.policy.preemption.load.PolicyWatch;
import dev.muster.policy.preemption.load.PolicyWatch.Status;
import dev.muster.server.logging.LogThrottle;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The preemption policy of a running server, reloaded whenever its files change. The result of
/// each load is reported in the log and as metrics.
final class PolicyFeed implements Supplier<PreemptionPolicy>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PolicyFeed.class);
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private final Optional<PolicyWatch> watch;
  private final LongAdder failures = new LongAdder();
  private final LogThrottle throttle = new LogThrottle();
  private volatile Consumer<Status> listener = status -> {};

  private PolicyFeed(Optional<Path> place, Plugins plugins, InstantSource clock) {
    PolicyLoader loader = new PolicyLoader(plugins, this::failed);
    watch = place.map(files -> PolicyWatch.of(files, loader, this::changed, clock));
  }

  /// Loads the configured policy once.
  ///
  /// @throws IOException if plug-ins cannot be loaded
  static PolicyFeed open(PreemptionFields settings, InstantSource clock) throws IOException {
    Plugins plugins = Plugins.in(settings.pluginFolder());
    PolicyFeed feed = new PolicyFeed(settings.place(), plugins, clock);
    feed.watch.ifPresent(files -> report(files.status()));
    return feed;
  }

  /// Starts watching the files.
  ///
  /// @param told receiver of every change of the files, valid or not
  void follow(Consumer<Status> told) {
    listener = told;
    watch.map(PolicyWatch::status).filter(status -> !status.isGood()).ifPresent(told);
    watch.ifPresent(files -> files.every(PAUSE));
  }

  /// Returns the policy in force and the result of the last load; empty if no policy is configured.
  Optional<PolicyWatch> watch() {
    return watch;
  }

  /// Returns the policy in force. Without a configured policy, preemption is off.
  @Override
  public PreemptionPolicy get() {
    return watch.map(PolicyWatch::get).orElse(PreemptionPolicy.OFF);
  }

  private void changed(Status status) {
    report(status);
    listener.accept(status);
  }

  private static void report(Status status) {
    if (status.isGood()) {
      log.info("Preemption policy in force: revision {}.", status.revision());
    } else {
      log.error(
          "The preemption policy is invalid; {}. {}",
          status.revision().isEmpty()
              ? "preemption is off"
              : "revision " + status.revision() + " stays in force",
          said(status));
    }
  }

  /// Returns all problems on one line.
  static String said(Status status) {
    return String.join(" ", status.problems().stream().map(Object::toString).toList());
  }

  /// Counts a failed expression. It may fail for every pair of gangs, many times a second, so the
  /// log line is limited.
  private void failed(ExpressionFailure failure) {
    failures.increment();
    if (throttle.isNew(failure.rule() + failure.expression())) {
      log.warn(
          "{} of the preemption policy: the expression {} failed for some gangs: {}. It selects no victims for them. `muster policy explain` lists these gangs.",
          failure.rule(),
          failure.expression(),
          failure.reason());
    }
  }

  /// Registers the metrics if a policy is configured. Returns an action that has to run before each
  /// scrape.
  Runnable register(MeterRegistry registry) {
    if (watch.isEmpty()) {
      return () -> {};
    }
    register(registry, watch.get());
    MultiGauge info =
        MultiGauge.builder("muster.policy.info")
            .description("The revision of the preemption policy in force; always 1.")
            .register(registry);
    return () -> {
      String revision = watch.get().status().revision();
      info.register(List.of(MultiGauge.Row.of(Tags.of("revision", revision), 1)), true);
    };
  }

  private void register(MeterRegistry registry, PolicyWatch files) {
    Gauge.builder(
            "muster.policy.last.reload.successful",
            files,
            policy -> policy.status().isGood() ? 1 : 0)
        .description(
            "Whether the newest files of the preemption policy are in force (1) or not (0).")
        .register(registry);
    Gauge.builder(
            "muster.policy.last.reload.success.timestamp.seconds",
            files,
            policy -> policy.status().loadedAt().getEpochSecond())
        .description(
            "Time at which the preemption policy in force was loaded, in seconds since the epoch.")
        .register(registry);
    FunctionCounter.builder("muster.policy.expression.failures", failures, LongAdder::doubleValue)
        .description("Failed evaluations of policy expressions; each spared a victim.")
        .register(registry);
  }

  @Override
  public void close() {
    watch.ifPresent(PolicyWatch::close);
  }
}
