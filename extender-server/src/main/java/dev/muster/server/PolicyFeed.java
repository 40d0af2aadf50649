package dev.muster.server;

import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.policy.config.Preemption;
import dev.muster.policy.preemption.ExpressionFailure;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicyLoader;
import dev.muster.policy.preemption.PolicyWatch;
import dev.muster.policy.preemption.PolicyWatch.Status;
import dev.muster.server.logging.Complaints;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The preemption policy of a running server: read at the start, followed while its files change,
/// and reported in the log and as metrics.
final class PolicyFeed implements Supplier<PreemptionPolicy>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PolicyFeed.class);
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private final Optional<PolicyWatch> watch;
  private final LongAdder failures = new LongAdder();
  private final Complaints complaints = new Complaints();
  private volatile Consumer<Status> listener = status -> {};

  private PolicyFeed(Optional<Path> place, Plugins plugins, InstantSource clock) {
    PolicyLoader loader = new PolicyLoader(plugins, this::failed);
    watch = place.map(files -> PolicyWatch.of(files, loader, this::changed, clock));
  }

  /// The policy that the configuration names, read once.
  ///
  /// @throws IOException if plug-ins cannot be loaded
  static PolicyFeed open(Preemption settings, InstantSource clock) throws IOException {
    Plugins plugins = Plugins.in(settings.pluginFolder());
    PolicyFeed feed = new PolicyFeed(settings.place(), plugins, clock);
    feed.watch.ifPresent(files -> tell(files.status()));
    return feed;
  }

  /// Follows the files from now on.
  ///
  /// @param told of every change of the files, good or bad
  void follow(Consumer<Status> told) {
    listener = told;
    watch.map(PolicyWatch::status).filter(status -> !status.isGood()).ifPresent(told);
    watch.ifPresent(files -> files.every(PAUSE));
  }

  /// The policy in force and what came of the newest files; empty when none is configured.
  Optional<PolicyWatch> watch() {
    return watch;
  }

  /// The policy in force; nobody is stopped where none is configured.
  @Override
  public PreemptionPolicy get() {
    return watch.map(PolicyWatch::get).orElse(PreemptionPolicy.OFF);
  }

  private void changed(Status status) {
    tell(status);
    listener.accept(status);
  }

  private static void tell(Status status) {
    if (status.isGood()) {
      log.info("The preemption policy is revision {}.", status.revision());
    } else {
      log.error(
          "The preemption policy is not valid; {}. {}",
          status.revision().isEmpty()
              ? "nobody is stopped"
              : "revision " + status.revision() + " stays in force",
          said(status));
    }
  }

  /// All problems on one line.
  static String said(Status status) {
    return String.join(" ", status.problems().stream().map(Object::toString).toList());
  }

  /// It may fail for every pair of gangs, many times a second.
  private void failed(ExpressionFailure failure) {
    failures.increment();
    if (complaints.isNew(failure.rule() + failure.expression())) {
      log.warn(
          "{} of the preemption policy has no value for some gangs: the expression {} failed: {}. Nobody is stopped by it. Maybe ask muster policy explain for which gangs.",
          failure.rule(),
          failure.expression(),
          failure.reason());
    }
  }

  /// Adds the metrics, if there is a policy.
  void register(MeterRegistry registry) {
    watch.ifPresent(files -> register(registry, files));
  }

  private void register(MeterRegistry registry, PolicyWatch files) {
    Gauge.builder(
            "muster.policy.last.reload.successful",
            files,
            policy -> policy.status().isGood() ? 1 : 0)
        .description("Whether the newest files of the preemption policy are in force.")
        .register(registry);
    Gauge.builder(
            "muster.policy.last.reload.success.timestamp.seconds",
            files,
            policy -> policy.status().loadedAt().getEpochSecond())
        .description("Since when the preemption policy is in force.")
        .register(registry);
    FunctionCounter.builder("muster.policy.expression.failures", failures, LongAdder::doubleValue)
        .description("Expressions of the policy that had no value; each spared a victim.")
        .register(registry);
  }

  @Override
  public void close() {
    watch.ifPresent(PolicyWatch::close);
  }
}
