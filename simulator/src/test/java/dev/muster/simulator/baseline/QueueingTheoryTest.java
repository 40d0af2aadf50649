package dev.muster.simulator.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.core.gang.GangConstraints;
import dev.muster.simulator.experiment.ConfidenceInterval;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Mean waits are those of queueing theory, where theory has a formula.
///
/// Jobs of one GPU arrive in a Poisson process. The seeds are fixed, so a result never changes.
final class QueueingTheoryTest {
  private static final int JOBS = 10_000;
  private static final int WARM_UP = 1_000; // jobs that find the cluster emptier than usual
  private static final int SEEDS = 10;

  /// The mean run time, in seconds.
  private static final double MEAN = 100;

  private static RunResult run(
      int gpus, double load, ToDoubleFunction<Random> runSeconds, PolicyName policy, int seed) {
    Random random = new Random(seed);
    List<TraceJob> jobs = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < JOBS; i++) {
      at += exponential(random, MEAN / (load * gpus));
      jobs.add(job(i, Math.round(1000 * at), Math.round(1000 * runSeconds.applyAsDouble(random))));
    }
    BaselineOptions options =
        BaselineOptions.of(policy.placement())
            .with(List.of(Duration.ofSeconds(50), Duration.ofSeconds(200)));
    return BaselineRun.of(
        new SimulationSetup("", policy.key(), "", 0, Instant.EPOCH, List.of()),
        FleetNotation.parse("1x" + gpus).orElseThrow(),
        new JobList(jobs),
        new BaselineRun.Policy(policy, options),
        RunObserver.NONE);
  }

  private static TraceJob job(int i, long at, long millis) {
    return new TraceJob(
        "j" + i, "", "", at, millis, 1, 1, TraceJobs.gpus(1), GangConstraints.NONE, 0, "");
  }

  private static double exponential(Random random, double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }

  /// Returns the mean of all waiting, in seconds, over several seeds.
  private static ConfidenceInterval waits(
      int gpus,
      double load,
      ToDoubleFunction<Random> runSeconds,
      PolicyName policy,
      Predicate<JobOutcome> which) {
    return ConfidenceInterval.of(
        IntStream.range(0, SEEDS)
            .mapToObj(seed -> run(gpus, load, runSeconds, policy, seed))
            .map(result ->
                result.jobs().stream()
                    .skip(WARM_UP)
                    .filter(which)
                    .mapToLong(job -> job.queuedMillis().orElseThrow())
                    .average()
                    .orElseThrow())
            .map(millis -> millis / 1000)
            .toList());
  }

  /// The interval of 99 % is 1.5 times as wide as that of 95 %, roughly.
  private static void assertIs(ConfidenceInterval found, double theory) {
    double half = 1.5 * found.plusMinus().orElseThrow();
    assertThat(half).isLessThan(theory / 6); // otherwise the interval would hold anything
    assertThat(found.mean()).isCloseTo(theory, within(half));
  }

  /// Returns the probability that a job waits in M/M/c (Erlang's C).
  private static double erlangC(int servers, double load) {
    double offered = servers * load;
    double term = 1;
    double sum = 0;
    for (int i = 0; i < servers; i++) {
      sum += term;
      term *= offered / (i + 1);
    }
    double all = term / (1 - load);
    return all / (sum + all);
  }

  @Test
  void one_server_with_exponential_run_times() {
    assertIs(
        waits(1, 0.7, random -> exponential(random, MEAN), PolicyName.FIFO_STRICT, _ -> true),
        MEAN * 0.7 / 0.3);
  }

  @Test
  void several_servers_with_exponential_run_times() {
    assertIs(
        waits(4, 0.8, random -> exponential(random, MEAN), PolicyName.FIFO_STRICT, _ -> true),
        erlangC(4, 0.8) * MEAN / (4 * (1 - 0.8)));
  }

  @Test
  void constant_run_times_halve_the_wait() {
    assertIs(waits(1, 0.7, _ -> MEAN, PolicyName.EASY, _ -> true), MEAN * 0.7 / 0.3 / 2);
  }

  /// Returns 50 s or, for one job in ten, 550 s: 100 s in the mean.
  private static double twoSizes(Random random) {
    return random.nextInt(10) == 0 ? 550 : 50;
  }

  /// The mean of the rest of the job that an arrival finds running: rate x E(S x S) / 2.
  private static double rest(double load) {
    return load / MEAN * (0.9 * 50 * 50 + 0.1 * 550 * 550) / 2;
  }

  @Test
  void varied_run_times_follow_pollaczek_and_khinchine() {
    assertIs(
        waits(1, 0.6, QueueingTheoryTest::twoSizes, PolicyName.FIFO_SKIP, _ -> true),
        rest(0.6) / (1 - 0.6));
  }

  @Test
  void shortest_first_follows_cobham() {
    double ofShort = 0.6 * 0.45; // 45 of 100 s of the mean are those of short jobs
    assertIs(
        waits(
            1,
            0.6,
            QueueingTheoryTest::twoSizes,
            PolicyName.SJF_STRICT,
            job -> job.job().runMillis() == 50_000),
        rest(0.6) / (1 - ofShort));
    assertIs(
        waits(
            1,
            0.6,
            QueueingTheoryTest::twoSizes,
            PolicyName.SJF_STRICT,
            job -> job.job().runMillis() == 550_000),
        rest(0.6) / (1 - ofShort) / (1 - 0.6));
  }

  /// A policy that does not know exponential run times waits as long as any other.
  @Test
  void least_attained_service_gains_nothing_from_exponential_run_times() {
    assertIs(
        waits(1, 0.7, random -> exponential(random, MEAN), PolicyName.LAS, _ -> true),
        MEAN * 0.7 / 0.3);
  }

  /// Little's law: the gangs that wait, over time, are all waiting times together.
  @ParameterizedTest
  @EnumSource
  void gangs_waiting_over_time_are_all_waits(PolicyName policy) {
    RunResult result = run(3, 0.9, random -> exponential(random, MEAN), policy, 1);
    double waiting =
        result.samples().stream()
            .mapToDouble(s -> s.waitingGangs() * (s.toMillis() - s.fromMillis()))
            .sum();
    double waits = result.jobs().stream().mapToLong(job -> job.queuedMillis().orElseThrow()).sum();
    assertThat(waiting).isCloseTo(waits, within(waits * 1e-9 + 1));
  }
}
