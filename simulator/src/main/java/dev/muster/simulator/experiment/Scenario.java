package dev.muster.simulator.experiment;

import dev.muster.core.admission.Queues;
import dev.muster.policy.file.Durations;
import dev.muster.simulator.baseline.BaselineOptions;
import dev.muster.simulator.baseline.BaselineRun;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.engine.MusterRun;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// One run as a user requests it.
///
/// @param fleet the nodes
/// @param trace the jobs
/// @param variant the scheduling policy
/// @param assumed the assumptions about speeds, failures and latency
/// @param seed seed of failures and other random parts
public record Scenario(
    Fleet fleet, TraceSource trace, PolicyVariant variant, Assumptions assumed, long seed) {
  /// Checks that the run is possible, so that a series of runs fails before the first one.
  ///
  /// @throws IllegalArgumentException if the policy does not support the fleet, or the control
  ///   plane is too slow for any gang to start
  public Scenario {
    variant.classic().ifPresent(policy -> BaselineRun.check(fleet, policy));
    Duration most = assumed.policies().bindTimeout();
    if (variant.classic().isEmpty() && assumed.latency().compareTo(most) >= 0) {
      throw new IllegalArgumentException(
          "Latency %s (--latency) must be shorter than gangs.bindTimeout (%s), or no gang would ever start."
              .formatted(Durations.print(assumed.latency()), Durations.print(most)));
    }
  }

  /// Returns this scenario on another fleet.
  public Scenario on(Fleet other) {
    return new Scenario(other, trace, variant, assumed, seed);
  }

  /// Returns this scenario with other jobs.
  Scenario of(TraceSource other) {
    return new Scenario(fleet, other, variant, assumed, seed);
  }

  /// Returns this scenario with another seed.
  Scenario with(long other) {
    return new Scenario(fleet, trace, variant, assumed, other);
  }

  /// Returns this scenario with another scheduling policy.
  public Scenario under(PolicyVariant other) {
    return new Scenario(fleet, trace, other, assumed, seed);
  }

  /// Returns this scenario with other assumptions.
  public Scenario in(Assumptions other) {
    return new Scenario(fleet, trace, variant, other, seed);
  }

  /// Runs it.
  ///
  /// @param observer observer that can stop the run
  /// @throws IllegalArgumentException if the trace has no jobs
  /// @throws InterruptedException if the thread is interrupted
  public RunResult run(RunObserver observer) throws InterruptedException {
    try (Trace read = trace.open()) {
      Trace jobs = arrivals(read);
      if (!jobs.hasNext()) {
        throw TraceSource.empty(trace.name(), jobs.skipped());
      }
      observer.begins(fleet.name(), jobs::share);
      RunResult run =
          variant.classic().isPresent() ? classic(jobs, observer) : muster(jobs, observer);
      return run.skipping(jobs.skipped());
    }
  }

  private Trace arrivals(Trace read) {
    return new Arrivals(read, assumed.arrivals(), job -> assumed.wishes().of(job, fleet));
  }

  /// Returns the GPUs that would be in use on average if no job waited. Time counts from the first
  /// submission to the last end.
  double offeredLoad() {
    try (Trace read = trace.open()) {
      Trace jobs = arrivals(read);
      double work = 0;
      long end = 0;
      while (jobs.hasNext()) {
        TraceJob job = jobs.next();
        work += (double) job.gpuMilli() * job.runMillis();
        end = Math.max(end, job.submitMillis() + job.runMillis());
      }
      return end == 0 ? 0 : work / end / 1000;
    }
  }

  private RunResult muster(Trace jobs, RunObserver observer) throws InterruptedException {
    MusterRun.Options options =
        new MusterRun.Options(
            assumed.latency(),
            assumed.speed(),
            assumed.preemptionCost(),
            assumed.outages(),
            observer);
    String revision = assumed.policies().preemption().revision();
    List<String> said = new ArrayList<>();
    said.add(
        "The latency of the control plane is %s.".formatted(Durations.print(assumed.latency())));
    said.add(queues(assumed.policies().queues()));
    said.add(
        revision.isEmpty()
            ? "Preemption is off."
            : "Preemption follows the policy revision %s.".formatted(revision));
    SimulationSetup setup = setup(jobs, said);
    return MusterRun.of(setup, fleet, jobs, assumed.policies(), options);
  }

  private static String queues(Queues queues) {
    return queues.takesAnyName()
        ? "Queues have weight 1 and no limits."
        : "The configured queues %s accept jobs of all namespaces; jobs of other queues are rejected."
            .formatted(String.join(", ", queues.byName().keys()));
  }

  private RunResult classic(Trace jobs, RunObserver observer) {
    BaselineOptions options =
        variant.options(assumed.options()).with(assumed.preemptionCost()).with(assumed.speed());
    var policy =
        new BaselineRun.Policy(variant.classic().orElseThrow(), options, assumed.outages());
    return BaselineRun.of(setup(jobs, options.sentences()), fleet, jobs, policy, observer);
  }

  private SimulationSetup setup(Trace jobs, List<String> semantics) {
    List<String> assumptions = new ArrayList<>(jobs.assumptions());
    assumptions.addAll(fleet.assumptions());
    assumptions.addAll(semantics);
    assumptions.addAll(assumed.speed().sentences());
    assumptions.addAll(assumed.wishes().sentences());
    if (!assumed.outages().equals(OutageSchedule.NONE)) {
      assumptions.addAll(assumed.outages().sentences(fleet));
    }
    return new SimulationSetup(
        trace.name(),
        variant.name(),
        variant.placementName(),
        seed,
        jobs.start(),
        assumed.budgets(),
        assumed.speed(),
        assumptions,
        0);
  }
}
