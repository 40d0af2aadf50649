package dev.muster.deploy.demo;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Driver;
import dev.muster.core.drive.Journal;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import dev.muster.server.PreemptionLedger;
import dev.muster.server.http.HttpDependencies;
import dev.muster.server.http.HttpFront;
import dev.muster.server.http.ListenOptions;
import dev.muster.server.http.ServerMetrics;
import dev.muster.server.http.WebhookOptions;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.extender.PodScope;
import dev.muster.server.http.page.GangTransitions;
import dev.muster.server.usage.UsageBook;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.engine.PodBinder;
import dev.muster.simulator.run.engine.VirtualCluster;
import dev.muster.simulator.run.record.SpeedModel;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The command `muster demo`: the engine and HTTP endpoints of the live server, on a cluster in
/// memory.
///
/// A stand-in for kube-scheduler asks the extender over HTTP about every pod before it binds the
/// pod, as the real scheduler does.
@Command(
    name = "demo",
    description = {
      "Schedules a few gangs on a small cluster in memory, and shows each decision.",
      "Prints the address of the web pages first. Then jobs come until Ctrl-C, unless --once or"
          + " --fast is given."
    },
    mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  private static final Duration WRITE = Duration.ofMillis(300);
  private static final Duration BIND = Duration.ofMillis(600);

  @Option(
      names = "--port",
      defaultValue = "8888",
      paramLabel = "PORT",
      description = "Port of the extender; 0 takes any free port. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--once",
      description = "Exits at the end of the demo instead of waiting for Ctrl-C.")
  private boolean once;

  @Option(names = "--fast", description = "Does not wait between events.")
  private boolean fast;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "The port %d (--port) must be 0 to 65535; 0 takes any free port.".formatted(port));
    }
    Instant start = Instant.now();
    Policies policies = Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));
    AtomicReference<State> image = new AtomicReference<>(State.empty(DemoScenario.TOPOLOGY));
    GangTransitions history = new GangTransitions();
    try (ServerMetrics metrics = new ServerMetrics(image::get);
        PreemptionLedger ledger = PreemptionLedger.open(Optional.empty());
        UsageBook usage = UsageBook.inMemory().start();
        HttpFront front =
            HttpFront.start(
                parts(image, metrics, policies)
                    .noting(ledger::last)
                    .accounting(usage)
                    .remembering(history),
                new ListenOptions("127.0.0.1", port, 1 << 24, Optional.empty()));
        DemoKubeScheduler binder = new DemoKubeScheduler(front.port(), image::get)) {
      System.out.printf("Web pages: http://127.0.0.1:%d/%n", front.port());
      System.out.printf(
          "Muster's extender listens on http://127.0.0.1:%d/scheduler%n", front.port());
      play(
          start,
          binder,
          image,
          policies,
          step -> {
            ledger.note(step);
            usage.note(step);
            history.note(step);
          });
      System.out.println(
          "The demo has ended; \"dreamer\" waits for a node that the cluster does not have.");
      if (!once) {
        System.out.printf(
            "Try: ./muster queue --server http://127.0.0.1:%d    Ctrl-C ends.%n", front.port());
        Thread.currentThread().join();
      }
    }
    return 0;
  }

  private static HttpDependencies parts(
      AtomicReference<State> image, ServerMetrics metrics, Policies policies) {
    return new HttpDependencies(
            image::get,
            () -> policies,
            new PodScope(Set.of("nvidia.com/gpu"), Set.of("default-scheduler")),
            new WebhookOptions(true, true, _ -> Map.of()),
            metrics,
            () -> true)
        .reviewing(PageAccess.LOCAL);
  }

  private void play(
      Instant start,
      PodBinder binder,
      AtomicReference<State> image,
      Policies policies,
      Consumer<Step> watcher)
      throws InterruptedException {
    SimulationContext context =
        SimulationContext.of(DemoScenario.fleet(), SpeedModel.FULL, OutageSchedule.NONE, 0);
    VirtualCluster cluster =
        new VirtualCluster(
            context,
            start,
            new VirtualCluster.ControlPlane(WRITE, BIND, binder),
            PreemptionCost.NONE);
    DemoScenario.schedule(context, cluster);
    if (isLasting()) {
      new DemoTraffic(context, cluster).schedule(DemoScenario.LENGTH.toMillis());
    }
    DemoConsole console = new DemoConsole(System.out, start);
    Driver driver =
        new Driver(
            new Engine(policies),
            () -> next(context, cluster),
            Journal.NONE,
            step -> {
              image.set(step.after());
              watcher.accept(step);
              console.note(step);
              cluster.perform(step);
              if (cluster.isQuiet() && context.queue().nextAt() > context.now()) {
                console.endOfInstant();
              }
            });
    driver.run(image.get());
  }

  /// True if jobs come until Ctrl-C.
  private boolean isLasting() {
    return !once && !fast;
  }

  /// Returns the next event of the scenario, once the wall clock has reached its time.
  private Optional<Event> next(SimulationContext context, VirtualCluster cluster)
      throws InterruptedException {
    Optional<Event> event = cluster.next();
    long end = isLasting() ? Long.MAX_VALUE : DemoScenario.LENGTH.toMillis();
    while (event.isEmpty() && context.queue().nextAt() < end) {
      context.advance(context.queue().nextAt());
      Duration wait = Duration.between(Instant.now(), cluster.now());
      if (!fast && wait.isPositive()) {
        Thread.sleep(wait);
      }
      context.queue().runNext();
      event = cluster.next();
    }
    return event;
  }
}
