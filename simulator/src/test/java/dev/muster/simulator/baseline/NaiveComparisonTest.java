package dev.muster.simulator.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RestartTimes;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/// Each policy decides as [NaiveRun] does.
final class NaiveComparisonTest {
  private static final SpeedModel PACE =
      new SpeedModel(new TreeMap<>(Map.of("B", 2.0)), new TreeMap<>(Map.of("node", 2.0)));

  @Property(tries = 2000)
  void every_policy_decides_as_its_naive_twin(
      @ForAll PolicyName policy, @ForAll NodeChoice placement, @ForAll long seed) {
    Random random = new Random(seed);
    BaselineOptions options = semantics(placement, random);
    int nodes = 1 + random.nextInt(4);
    int size = 1 + random.nextInt(4);
    Fleet fleet = fleet(nodes, size, random);
    List<TraceJob> jobs = jobs(random, fleet);
    List<NaiveSchedule.Away> away = away(random, fleet.nodes().size());
    assertThat(fast(fleet, jobs, policy, options, away))
        .describedAs("%s, %s, %s", policy, options, away)
        .isEqualTo(naive(fleet, jobs, policy, options, away));
  }

  /// A job that is slower than expected holds nodes promised to others. No other node is used for
  /// that.
  @Test
  void node_promised_twice_takes_nothing_from_other_jobs() {
    every_policy_decides_as_its_naive_twin(PolicyName.CONSERVATIVE, NodeChoice.BEST_FIT, 78_373);
  }

  /// A second pass at the instant would move a running job again, at a cost that changes the order.
  @Test
  void job_without_gpus_that_ends_at_once_adds_no_pass() {
    every_policy_decides_as_its_naive_twin(PolicyName.SRSF, NodeChoice.CONSOLIDATED, -5600);
  }

  private static BaselineOptions semantics(NodeChoice placement, Random random) {
    BaselineOptions.ServiceCharge charge =
        random.nextInt(4) == 0
            ? BaselineOptions.ServiceCharge.EVERY_EVENT
            : BaselineOptions.ServiceCharge.RESTART;
    Optional<Duration> checkpoint =
        random.nextInt(3) == 0
            ? Optional.of(Duration.ofMillis(2 + random.nextInt(4)))
            : Optional.empty();
    BaselineOptions options =
        BaselineOptions.of(placement)
            .withOneGpuWorkers(random.nextInt(4) == 0)
            .with(List.of(Duration.ofMillis(8), Duration.ofMillis(30)))
            .with(Duration.ZERO, charge)
            .with(new PreemptionCost(checkpoint, restarts(random)))
            .with(PACE);
    return random.nextBoolean() ? options.with(BaselineOptions.Reservations.NAMED) : options;
  }

  private static RestartTimes restarts(Random random) {
    String time = random.nextInt(3) + "ms";
    return RestartTimes.parse(
        switch (random.nextInt(3)) {
          case 0 -> List.of(time);
          case 1 -> List.of("3+:" + time, "2ms");
          default -> List.of("2-4:A:3ms", "B:" + time, "1ms");
        });
  }

  /// Nodes that are away, some of them at once.
  private static List<NaiveSchedule.Away> away(Random random, int nodes) {
    List<NaiveSchedule.Away> away = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      int from = random.nextInt(30);
      away.add(new NaiveSchedule.Away(random.nextInt(nodes), from, from + 1 + random.nextInt(12)));
    }
    return away;
  }

  /// Equal nodes, or two models, or two sizes of one model.
  private static Fleet fleet(int nodes, int size, Random random) {
    String equal = "%dx%d:A".formatted(nodes, size);
    int other = random.nextInt(3);
    String more = ",%dx%d:%s".formatted(nodes, 1 + random.nextInt(6), other == 0 ? "B" : "A");
    return FleetNotation.parse(other == 2 ? equal : equal + more).orElseThrow();
  }

  private static GangConstraints wishes(Random random, Fleet fleet) {
    List<List<String>> choices =
        fleet.models().containsKey("B")
            ? List.of(List.of(), List.of("A"), List.of("B"), List.of("B", "A"))
            : List.of(List.of());
    GpuModelPreference models =
        new GpuModelPreference(choices.get(random.nextInt(choices.size())), false);
    Optional<Duration> said =
        random.nextInt(3) == 0
            ? Optional.of(Duration.ofMillis(1 + random.nextInt(20)))
            : Optional.empty();
    return new GangConstraints(TopologyConstraint.NONE, models, said);
  }

  private static List<TraceJob> jobs(Random random, Fleet fleet) {
    List<TraceJob> jobs = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < 2 + random.nextInt(10); i++) {
      at += (long) random.nextInt(3) * random.nextInt(4);
      int each = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(3);
      int workers = 1 + random.nextInt(Math.max(1, fleet.gpus() / Math.max(1, each)));
      long run = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(12);
      String queue = "q" + random.nextInt(3);
      jobs.add(
          new TraceJob(
              "j" + i,
              "",
              queue,
              at,
              run,
              workers,
              workers,
              TraceJobs.gpus(each),
              wishes(random, fleet),
              0,
              "",
              "",
              random.nextInt(5) == 0 ? OptionalLong.of(random.nextInt(4)) : OptionalLong.empty()));
    }
    return jobs;
  }

  private static List<String> fast(
      Fleet fleet,
      List<TraceJob> jobs,
      PolicyName policy,
      BaselineOptions options,
      List<NaiveSchedule.Away> away) {
    List<OutageSchedule.Window> windows = new ArrayList<>();
    for (NaiveSchedule.Away each : away) {
      windows.add(
          new OutageSchedule.Window(
              fleet.nodes().get(each.node()).id().name(),
              Duration.ofMillis(each.from()),
              Duration.ofMillis(each.to() - each.from())));
    }
    OutageSchedule outages = new OutageSchedule(Optional.empty(), Duration.ofHours(1), windows);
    RunResult result =
        BaselineRun.of(
            new SimulationSetup("", policy.key(), "", 0, Instant.EPOCH, List.of()),
            fleet,
            new JobList(jobs),
            new BaselineRun.Policy(policy, options, outages),
            RunObserver.NONE);
    return result.jobs().stream()
        .filter(job -> job.state() != JobOutcome.State.REJECTED)
        .map(job -> line(job.job(), job.startMillis(), job.endMillis(), job.preemptions()))
        .toList();
  }

  private static List<String> naive(
      Fleet fleet,
      List<TraceJob> jobs,
      PolicyName policy,
      BaselineOptions options,
      List<NaiveSchedule.Away> away) {
    int[] sizes = fleet.nodes().stream().mapToInt(node -> node.gpus()).toArray();
    int[] models =
        fleet.nodes().stream().mapToInt(node -> node.model().name().equals("B") ? 1 : 0).toArray();
    NaiveNodes nodes = new NaiveNodes(sizes, models, options.placement());
    return new NaiveRun(jobs, nodes, policy, options, away)
        .run().jobs.stream()
            .map(job -> line(job.job, job.start, job.end, job.preemptions))
            .toList();
  }

  private static String line(TraceJob job, long start, long end, int preemptions) {
    return "%s submitted %d, %dx%d for %d: %d-%d, preempted %d"
        .formatted(
            job.id(),
            job.submitMillis(),
            job.workers(),
            job.request().gpus(),
            job.runMillis(),
            start,
            end,
            preemptions);
  }
}
