package dev.muster.core.bench;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/// Measures speed and memory of the engine, with the goals beside the figures.
///
/// ```
/// ./mvnw -pl scheduler-core test -Dtest=CoreBench
/// ./mvnw -pl scheduler-core test -Dtest=CoreBench -Dbench=quick
/// ```
///
/// `-Dbench.only=podFinished` runs one of them, `-Dbench.waiting=100` lets fewer gangs wait. Not
/// part of the build: its name is no test's name.
class CoreBench {
  private static final boolean QUICK = "quick".equals(System.getProperty("bench"));

  /// Options of `./muster`. The tests run in the folder of their module.
  private static final String OPTIONS = "@../deploy/src/main/dist/lib/java.options";

  @Test
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void run() throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("dev.muster.core.bench.*" + System.getProperty("bench.only", ""))
            .forks(1)
            .warmupIterations(QUICK ? 1 : 3)
            .warmupTime(TimeValue.seconds(QUICK ? 1 : 6))
            .measurementIterations(QUICK ? 1 : 3)
            .measurementTime(TimeValue.seconds(QUICK ? 1 : 2))
            .addProfiler(GCProfiler.class)
            .output("target/jmh.txt")
            .jvmArgs("-Xmx3g", "-XX:+UseG1GC", OPTIONS);
    if (QUICK) {
      options.param("gpus", "1000", "100000");
    }
    String waiting = System.getProperty("bench.waiting");
    if (waiting != null) {
      options.param("waiting", waiting);
    }
    report(new Runner(options.build()).run());
  }

  /// The goals for the largest cluster, by benchmark: milliseconds at the 99th percentile.
  private static final Map<String, Double> GOALS =
      Map.of(
          "preempted",
          20.0,
          "podFinished",
          5.0,
          "gangArrived",
          5.0,
          "nodeGone",
          5.0,
          "bigGangAdmitted",
          10.0);

  private static void report(Collection<RunResult> results) {
    Map<String, Double> smallest = new TreeMap<>();
    System.out.printf(
        "%n%-16s %8s %10s %10s %10s %10s %9s %8s %12s%n",
        "what", "GPUs", "p50 ms", "p99 ms", "cpu p50", "cpu p99", "goal", "growth", "bytes/step");
    for (RunResult result : results) {
      String what = result.getPrimaryResult().getLabel();
      if (what.equals("learned")) {
        held(result);
      } else {
        line(what, result, smallest);
      }
    }
  }

  private static void line(String what, RunResult result, Map<String, Double> smallest) {
    String gpus = result.getParams().getParam("gpus");
    double iterations = result.getParams().getMeasurement().getCount();
    double median = secondary(result, "cpu50") / iterations / 1e6;
    Double goal = GOALS.get(what);
    System.out.printf(
        "%-16s %8s %10.3f %10.3f %10.3f %10.3f %9s %8.1f %,12.0f%n",
        what,
        gpus == null ? "100000" : gpus,
        result.getPrimaryResult().getStatistics().getPercentile(50) / 1e3,
        result.getPrimaryResult().getStatistics().getPercentile(99) / 1e3,
        median,
        secondary(result, "cpu99") / iterations / 1e6,
        goal == null ? "" : "<= " + goal,
        median / smallest.computeIfAbsent(what, _ -> median),
        secondary(result, "gc.alloc.rate.norm"));
  }

  private static void held(RunResult result) {
    double iterations = result.getParams().getMeasurement().getCount(); // counters are added up
    System.out.printf(
        "%-16s %8s  %.0f MiB for %,.0f pods (goal <= 400 MiB), learned in %.1f s%n",
        "live heap",
        "100000",
        secondary(result, "kib") / iterations / 1024,
        secondary(result, "pods") / iterations,
        result.getPrimaryResult().getScore());
  }

  private static double secondary(RunResult result, String name) {
    Result<?> found = result.getSecondaryResults().get(name);
    return found == null ? Double.NaN : found.getScore();
  }
}
