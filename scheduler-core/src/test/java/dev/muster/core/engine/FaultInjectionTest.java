package dev.muster.core.engine;

import dev.muster.core.cluster.Event;
import dev.muster.core.kit.FaultyWorld;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Checks the promises of the design in worlds with random faults.
///
/// Some promises are checked after every step, others once a world has been free of faults for some
/// time. `-Dfaults.steps=1000000` runs worlds until the engine took a million steps.
/// `-Dfaults.seed=7` begins with the world of that seed.
class FaultInjectionTest {
  /// Random events of a world before its faults end; about 3,000 steps in all.
  private static final int TURNS = 300;

  private static final Duration CALM = Duration.ofMinutes(8);
  private static final int RECENT = 30;
  private static final long REPORTED = 100_000;

  private final long most = Long.getLong("faults.steps", 6_000);
  private final AtomicInteger seeds = new AtomicInteger(Integer.getInteger("faults.seed", 0));
  private final AtomicLong steps = new AtomicLong();
  private final AtomicLong starts = new AtomicLong();

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void invariants_hold_under_random_faults() throws Exception {
    int first = seeds.get();
    int threads = most == 1 ? 1 : Runtime.getRuntime().availableProcessors();
    List<Callable<Boolean>> lines = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      lines.add(this::runWorlds);
    }
    try (var executor = Executors.newFixedThreadPool(threads)) {
      for (var line : executor.invokeAll(lines)) {
        line.get(); // throws what broke there
      }
    }
    System.out.printf(
        "Fault injection: worlds: %d, steps: %d, starts of the scheduler: %d%n",
        seeds.get() - first, steps.get(), starts.get());
  }

  /// Runs worlds until all threads together took enough steps or a promise was broken.
  private boolean runWorlds() {
    while (steps.get() < most) {
      try {
        count(run(seeds.getAndIncrement()));
      } catch (AssertionError broken) {
        steps.addAndGet(most); // enough
        throw broken;
      }
    }
    return true;
  }

  private void count(FaultyWorld world) {
    starts.addAndGet(world.starts());
    long now = steps.addAndGet(world.steps());
    if ((now - world.steps()) / REPORTED < now / REPORTED) {
      System.out.printf("Fault injection: %d steps so far%n", now);
    }
  }

  private static FaultyWorld run(int seed) {
    ArrayDeque<Event> recent = new ArrayDeque<>();
    PromiseChecks promises = new PromiseChecks();
    FaultyWorld.Watch watch =
        (world, event, step) -> {
          recent.add(event);
          if (recent.size() > RECENT) {
            recent.remove();
          }
          promises.see(world, event, step);
        };
    try {
      FaultyWorld world = new FaultyWorld(seed, watch);
      for (int turn = 0; turn < TURNS; turn++) {
        world.turn();
      }
      world.calm(CALM);
      CalmChecks.afterwards(world);
      return world;
    } catch (AssertionError | RuntimeException failure) {
      throw new AssertionError(report(seed, failure, recent), failure);
    }
  }

  private static String report(int seed, Throwable failure, ArrayDeque<Event> recent) {
    StringBuilder text = new StringBuilder(String.valueOf(failure.getMessage()));
    text.append("\nThe last events:");
    recent.forEach(event -> text.append("\n  ").append(event));
    return text.append("\nReplay it: ./mvnw -pl scheduler-core test -Dtest=FaultInjectionTest")
        .append(" -Dfaults.steps=1 -Dfaults.seed=")
        .append(seed)
        .toString();
  }
}
