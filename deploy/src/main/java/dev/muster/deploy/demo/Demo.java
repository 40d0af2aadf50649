package dev.muster.deploy.demo;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Driver;
import dev.muster.core.drive.Journal;
import dev.muster.core.engine.Engine;
import dev.muster.core.engine.Policies;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import dev.muster.server.http.HttpFront;
import dev.muster.server.http.Listen;
import dev.muster.server.http.Parts;
import dev.muster.server.http.Scope;
import dev.muster.server.http.ServerMetrics;
import dev.muster.server.http.WebhookOptions;
import dev.muster.simulator.world.VirtualCluster;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `muster demo`: the engine and the HTTP endpoints of the live server, on a cluster in memory.
///
/// What stands for kube-scheduler asks the extender over HTTP about every pod before it binds it,
/// as the real one does.
@Command(
    name = "demo",
    description = "Schedules a few gangs on a small cluster in memory, and shows each decision.",
    mixinStandardHelpOptions = true)
public final class Demo implements Callable<Integer> {
  private static final Duration LATENCY = Duration.ofMillis(300);

  @Option(
      names = "--port",
      defaultValue = "8888",
      paramLabel = "PORT",
      description = "Where the extender listens; 0 takes any free port. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--once",
      description = "Ends when the story is over instead of waiting for Ctrl-C.")
  private boolean once;

  @Option(names = "--fast", description = "Does not wait between events.")
  private boolean fast;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "There is no port %d (--port); it must be 0 to 65535. Maybe take 0, any free one."
              .formatted(port));
    }
    Instant start = Instant.now();
    AtomicReference<State> image = new AtomicReference<>(State.empty(Story.TOPOLOGY));
    try (ServerMetrics metrics = new ServerMetrics(image::get);
        HttpFront front =
            HttpFront.start(
                parts(image, metrics), new Listen("127.0.0.1", port, 1 << 24, Optional.empty()));
        Asking asking = new Asking(front.port(), image::get)) {
      System.out.printf(
          "Muster's extender listens on http://127.0.0.1:%d/scheduler%n", front.port());
      VirtualCluster cluster = new VirtualCluster(start, LATENCY, asking);
      Story.tell(start, cluster);
      play(start, cluster, image);
      System.out.println(
          "The story is over; \"dreamer\" waits for a node that the cluster does not have.");
      if (!once) {
        System.out.printf(
            "Try: curl -s http://127.0.0.1:%d/api/v1/gangs    Ctrl-C ends.%n", front.port());
        Thread.currentThread().join();
      }
    }
    return 0;
  }

  private static Parts parts(AtomicReference<State> image, ServerMetrics metrics) {
    return new Parts(
        image::get,
        () -> Policies.DEFAULT,
        new Scope(Set.of("nvidia.com/gpu"), Set.of("default-scheduler")),
        new WebhookOptions(true, true, _ -> Map.of()),
        metrics,
        () -> true);
  }

  private void play(Instant start, VirtualCluster cluster, AtomicReference<State> image)
      throws InterruptedException {
    Screen screen = new Screen(System.out, start);
    Driver driver =
        new Driver(
            new Engine(Policies.DEFAULT),
            () -> paced(start, cluster),
            Journal.NONE,
            step -> perform(step, cluster, image, screen));
    driver.run(image.get());
  }

  private static void perform(
      Step step, VirtualCluster cluster, AtomicReference<State> image, Screen screen) {
    image.set(step.after());
    screen.note(step);
    cluster.perform(step);
    if (cluster.nextAt().filter(cluster.now()::equals).isEmpty()) {
      screen.endOfInstant();
    }
  }

  /// The next event of the story, when the clock on the wall has come to it.
  private Optional<Event> paced(Instant start, VirtualCluster cluster) throws InterruptedException {
    Optional<Instant> due = cluster.nextAt().filter(at -> at.isBefore(start.plus(Story.LENGTH)));
    if (due.isEmpty()) {
      return Optional.empty();
    }
    Duration wait = Duration.between(Instant.now(), due.get());
    if (!fast && wait.isPositive()) {
      Thread.sleep(wait);
    }
    return cluster.next();
  }
}
