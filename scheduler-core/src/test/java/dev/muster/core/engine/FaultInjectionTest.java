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

/// The promises of the design in a world in which nothing works reliably: after every step, and
/// what holds once it is calm again. `-Drough.steps=1000000` lives until the engine took a million
/// steps; `-Drough.seed=7` begins with that life.
class FaultInjectionTest {
  /// Things that happen in a life before it is calm: some 3,000 steps in all.
  private static final int TURNS = 300;

  private static final Duration CALM = Duration.ofMinutes(8);
  private static final int RECENT = 30;
  private static final long REPORTED = 100_000;

  private final long most = Long.getLong("rough.steps", 6_000);
  private final AtomicInteger seeds = new AtomicInteger(Integer.getInteger("rough.seed", 0));
  private final AtomicLong steps = new AtomicLong();
  private final AtomicLong starts = new AtomicLong();

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void invariants_hold_under_random_faults() throws Exception {
    int first = seeds.get();
    int threads = most == 1 ? 1 : Runtime.getRuntime().availableProcessors();
    List<Callable<Boolean>> lines = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      lines.add(this::liveOnAndOn);
    }
    try (var executor = Executors.newFixedThreadPool(threads)) {
      for (var line : executor.invokeAll(lines)) {
        line.get(); // throws what broke there
      }
    }
    System.out.printf(
        "Rough lives: %d, steps: %d, starts of the scheduler: %d%n",
        seeds.get() - first, steps.get(), starts.get());
  }

  /// Life after life, until all together took enough steps or one of them broke a promise.
  private boolean liveOnAndOn() {
    while (steps.get() < most) {
      try {
        count(live(seeds.getAndIncrement()));
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
      System.out.printf("Rough lives: %d steps so far%n", now);
    }
  }

  private static FaultyWorld live(int seed) {
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
      PromiseChecks.afterwards(world);
      return world;
    } catch (AssertionError | RuntimeException failure) {
      throw new AssertionError(told(seed, failure, recent), failure);
    }
  }

  private static String told(int seed, Throwable failure, ArrayDeque<Event> recent) {
    StringBuilder text = new StringBuilder(String.valueOf(failure.getMessage()));
    text.append("\nThe last events:");
    recent.forEach(event -> text.append("\n  ").append(event));
    return text.append("\nReplay it: ./mvnw -pl scheduler-core test -Dtest=RoughLifeTest")
        .append(" -Drough.steps=1 -Drough.seed=")
        .append(seed)
        .toString();
  }
}
