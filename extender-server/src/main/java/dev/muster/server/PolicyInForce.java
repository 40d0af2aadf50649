package dev.muster.server;

import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.policy.preemption.ExpressionFailure;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicyLoader;
import dev.muster.policy.preemption.PolicyWatch;
import dev.muster.server.config.Preempting;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The preemption policy as its files say it now; nobody is stopped where none is configured.
final class PolicyInForce implements Supplier<PreemptionPolicy>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PolicyInForce.class);
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private final @Nullable PolicyWatch watch;
  private final LongAdder failures;

  private PolicyInForce(@Nullable PolicyWatch watch, LongAdder failures) {
    this.watch = watch;
    this.failures = failures;
  }

  /// Reads the policy and goes on watching it.
  ///
  /// @param server who is told of a change; nobody before the start
  static PolicyInForce of(Preempting preempting, Supplier<@Nullable MusterServer> server)
      throws IOException {
    LongAdder failures = new LongAdder();
    if (preempting.policyPlace().isEmpty()) {
      return new PolicyInForce(null, failures);
    }
    Path place = preempting.policyPlace().get();
    Plugins plugins = Plugins.in(preempting.pluginFolder());
    PolicyLoader loader = new PolicyLoader(plugins, failure -> failed(failure, failures));
    PolicyWatch watch =
        PolicyWatch.of(
            place, loader, status -> changed(status, server.get()), InstantSource.system());
    say(watch.status());
    return new PolicyInForce(watch.every(PAUSE), failures);
  }

  private static void failed(ExpressionFailure failure, LongAdder failures) {
    failures.increment();
    log.warn(
        "The rule {} protects: {} has no value: {}",
        failure.rule(),
        failure.expression(),
        failure.reason());
  }

  private static void changed(PolicyWatch.Status status, @Nullable MusterServer server) {
    say(status);
    if (status.isGood() && server != null) {
      server.policyChanged(status.loadedAt(), status.revision());
    }
  }

  private static void say(PolicyWatch.Status status) {
    if (status.isGood()) {
      log.info("The preemption policy {} is in force.", status.revision());
    } else {
      log.error(
          "The preemption policy is not valid, {} stays in force: {}",
          status.revision().isEmpty() ? "none" : status.revision(),
          status.problems());
    }
  }

  /// Shows what came of the newest files.
  void register(MeterRegistry registry) {
    if (watch == null) {
      return;
    }
    Gauge.builder("muster.policy.last.reload.successful", watch, w -> w.status().isGood() ? 1 : 0)
        .description("Whether the newest files of the preemption policy are in force.")
        .register(registry);
    Gauge.builder(
            "muster.policy.last.reload.success.timestamp",
            watch,
            w -> w.status().loadedAt().getEpochSecond())
        .description("Since when the preemption policy is in force.")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("muster.policy.expression.failures", failures, LongAdder::sum)
        .description("Expressions of the policy that had no value; each protected a gang.")
        .register(registry);
  }

  @Override
  public PreemptionPolicy get() {
    return watch == null ? PreemptionPolicy.OFF : watch.get();
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
  }
}
