package dev.muster.server.kube.dra.cel;

import dev.cel.common.CelErrorCode;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime.Program;
import dev.muster.core.decision.MessageLimit;
import dev.muster.server.logging.LogThrottle;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/// A compiled CEL expression. Safe for use by several threads.
public final class DeviceExpression {
  private static final Logger log = LoggerFactory.getLogger(DeviceExpression.class);

  private static final LogThrottle THROTTLE =
      new LogThrottle(Duration.ofSeconds(1), InstantSource.system());

  private final String text;
  private final Program program;
  private final AtomicBoolean complained = new AtomicBoolean();

  DeviceExpression(String text, Program program) {
    this.text = text;
    this.program = program;
  }

  /// True if the expression may select the device.
  ///
  /// - A device without an attribute that the expression reads is not selected.
  /// - If the evaluation fails for another reason, the device counts as selected: kube-scheduler
  ///   decides in the end.
  public boolean mayTake(DeviceTraits device) {
    try {
      return (Boolean) program.eval(Map.of("device", variable(device)));
    } catch (CelEvaluationException failed) {
      return failed.getErrorCode() != CelErrorCode.ATTRIBUTE_NOT_FOUND && complained(failed);
    } catch (RuntimeException failed) { // no expression may stop other work
      return complained(failed);
    }
  }

  private boolean complained(Exception failed) {
    if (complained.compareAndSet(false, true)) {
      complaint("failed")
          .log(
              "The selector ({}) failed for a device, which counts as selected: {}",
              MessageLimit.cut(text),
              MessageLimit.cut(String.valueOf(failed.getMessage())));
    }
    return true;
  }

  /// Starts a line of the log. Tenants write selectors: each second one line of a kind is a
  /// warning, and the others are for debugging.
  static LoggingEventBuilder complaint(String kind) {
    return log.atLevel(THROTTLE.isNew(kind) ? Level.WARN : Level.DEBUG);
  }

  private static Map<String, Object> variable(DeviceTraits device) {
    return Map.of(
        "driver",
        device.driver(),
        "attributes",
        new Domains<>(device.attributes()),
        "capacity",
        new Domains<>(device.capacity()),
        "allowMultipleAllocations",
        device.shared());
  }

  /// A map in which an unknown domain is an empty map, not an absent one. Such a domain is not
  /// listed.
  private static final class Domains<T> extends HashMap<String, Map<String, T>> {
    Domains(Map<String, Map<String, T>> byDomain) {
      super(byDomain);
    }

    @Override
    public Map<String, T> get(Object domain) {
      return getOrDefault(domain, Map.of());
    }
  }
}
