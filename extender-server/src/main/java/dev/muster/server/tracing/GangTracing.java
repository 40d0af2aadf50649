package dev.muster.server.tracing;

import dev.muster.core.gang.GangId;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import dev.muster.server.logging.LogThrottle;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends OpenTelemetry traces of gangs to a receiver of OTLP over HTTP.
///
/// The engine's thread only puts each state into a queue. If that is full, the state is left out,
/// and the next one shows what changed. Another thread makes spans of the differences. States count
/// from the moment in which all objects have been seen, so only the leader sends spans.
public final class GangTracing implements AutoCloseable {
  /// States that may wait. They share all that did not change between them.
  static final int MOST_STATES = 1_024;

  private static final Logger log = LoggerFactory.getLogger(GangTracing.class);
  private static final Duration GRACE = Duration.ofSeconds(1);

  /// The log of OpenTelemetry, which would name each failed call. It is kept, so it stays off.
  private static final java.util.logging.Logger OPEN_TELEMETRY =
      java.util.logging.Logger.getLogger("io.opentelemetry");

  private final BlockingQueue<State> states = new ArrayBlockingQueue<>(MOST_STATES);
  private final LogThrottle throttle = new LogThrottle();
  private final SpanWriter writer;
  private final Thread thread;
  private volatile Function<GangId, Optional<String>> uids = _ -> Optional.empty();
  private volatile boolean closed;

  /// What sends the traces.
  ///
  /// @param version release of the program
  /// @param instance name of the pod or process
  public record Service(String version, String instance) {}

  GangTracing(SpanExporter exporter, Service service) {
    OPEN_TELEMETRY.setLevel(Level.OFF);
    writer =
        new SpanWriter(
            new LimitedExporter(exporter, throttle),
            Attributes.of(
                TraceKeys.SERVICE,
                "muster",
                TraceKeys.SERVICE_VERSION,
                service.version(),
                TraceKeys.SERVICE_INSTANCE,
                service.instance()));
    thread = Thread.ofPlatform().daemon().name("muster-tracing").unstarted(this::run);
  }

  /// Opens the way to a receiver.
  ///
  /// @param receiver address that takes traces
  public static GangTracing open(URI receiver, Service service) {
    return new GangTracing(
        OtlpHttpSpanExporter.builder().setEndpoint(receiver.toString()).build(), service);
  }

  /// Begins to send.
  ///
  /// @param objects uid of the object that declares a gang
  public void start(Function<GangId, Optional<String>> objects) {
    uids = objects;
    thread.start();
  }

  /// Takes the state after a step. Called by the engine's thread only; it never waits.
  public void note(Step step) {
    if (step.after().cluster().synced()) {
      var _ = states.offer(step.after());
    }
  }

  private void run() {
    GangLives lives =
        new GangLives(State.empty(new Topology(List.of())), gang -> uids.apply(gang), writer);
    try {
      while (!closed || !states.isEmpty()) {
        State state = states.poll(100, TimeUnit.MILLISECONDS);
        if (state != null) {
          see(lives, state);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void see(GangLives lives, State state) {
    try {
      lives.seen(state);
    } catch (RuntimeException bug) { // a dead thread would end all traces
      if (throttle.isNew("bug")) {
        log.error("Bug in the traces of gangs; some are incomplete.", bug);
      }
    }
  }

  /// Returns the number of states that wait.
  int waiting() {
    return states.size();
  }

  /// Sends what waits, for three seconds at most.
  @Override
  public void close() {
    closed = true;
    try {
      if (thread.isAlive() && !thread.join(GRACE)) {
        thread.interrupt();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    writer.close();
  }
}
