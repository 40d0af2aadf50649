package dev.muster.simulator.baseline;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.Absences;
import dev.muster.simulator.run.Outages;
import dev.muster.simulator.run.Recorder;
import dev.muster.simulator.run.RunResult;
import dev.muster.simulator.run.Setup;
import dev.muster.simulator.run.Watch;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.List;

/// A trace on a fleet under a classic policy.
///
/// Time goes from event to event. At one instant all ends come first, then nodes that go or come
/// back, then all arrivals in the order of the trace, then the policy has one pass (Helios:
/// completions, arrivals, allocation). A job that no empty fleet has a place for is rejected when
/// it comes; one that failing nodes stop again and again before it gets on is given up
/// ([dev.muster.simulator.run.Effort#MOST_FAILURES]).
public final class BaselineRun {
  private static final int LOOK_EVERY = 1 << 8;

  private final Trace trace;
  private final Semantics semantics;
  private final Baseline policy;
  private final Absences absences;
  private final Watch watch;
  private final Recorder recorder;
  private final Floor floor;
  private final List<TraceJob> arriving = new ArrayList<>(1);
  private int submitted;
  private long turns;
  private boolean stopped;

  private BaselineRun(Fleet fleet, Trace trace, Policy policy, Absences absences, Watch watch) {
    this.trace = trace;
    this.policy = policy.name().make();
    this.semantics = policy.semantics();
    this.absences = absences;
    this.watch = watch;
    this.recorder = new Recorder(fleet, semantics.pace());
    this.floor = new Floor(fleet, this.policy, semantics, absences, recorder);
  }

  /// Sees to it that the policy can do with the fleet.
  ///
  /// @throws IllegalArgumentException if the fleet has cloud nodes, which no classic policy asks
  ///   for
  public static void check(Fleet fleet, PolicyName policy) {
    if (fleet.hasCloudNodes()) {
      throw new IllegalArgumentException(
          "The fleet (%s) has cloud nodes, which no classic policy such as %s asks for. Maybe remove joinDelay, so that they are there all the time, or take the policy muster."
              .formatted(fleet.name(), policy.key()));
    }
  }

  /// Runs the trace to its end.
  ///
  /// @throws IllegalArgumentException if the policy cannot do with the fleet
  public static RunResult of(Setup setup, Fleet fleet, Trace trace, Policy policy, Watch watch) {
    check(fleet, policy.name());
    Absences absences = new Absences(fleet, policy.outages(), setup.seed());
    BaselineRun run = new BaselineRun(fleet, trace, policy, absences, watch);
    run.run();
    return run.recorder.result(setup, run.stopped);
  }

  /// A policy by its name, and what else counts.
  ///
  /// @param outages when nodes are not there
  public record Policy(PolicyName name, Semantics semantics, Outages outages) {
    /// With all nodes there all the time.
    public Policy(PolicyName name, Semantics semantics) {
      this(name, semantics, Outages.NONE);
    }
  }

  private void run() {
    fetch();
    for (long next = next(); next < Long.MAX_VALUE && !stopped; next = next()) {
      boolean woken = next == wake();
      if (++turns % LOOK_EVERY == 0) {
        stopped = !watch.goesOn(submitted, floor.now());
      }
      floor.advance(next);
      boolean changed = floor.end();
      changed |= outages(next);
      while (!arriving.isEmpty() && arriving.getFirst().submitMillis() == next) {
        changed |= arrive(arriving.removeFirst());
        fetch();
      }
      if (changed || woken) {
        floor.charge();
        policy.pass(floor);
      }
    }
  }

  private void fetch() {
    if (arriving.isEmpty() && trace.hasNext()) {
      arriving.add(trace.next());
    }
  }

  private long next() {
    long arrival = arriving.isEmpty() ? Long.MAX_VALUE : arriving.getFirst().submitMillis();
    long event = Math.min(Math.min(arrival, floor.nextEnd()), wake());
    boolean idle = event == Long.MAX_VALUE;
    boolean vain = absences.isVain(idle, floor.now());
    boolean over = idle && (floor.line().size() == 0 || vain);
    return over ? event : Math.min(event, absences.nextAt());
  }

  private boolean outages(long now) {
    boolean any = false;
    while (absences.nextAt() <= now) {
      switch (absences.take()) {
        case Absences.News.Gone(int node) -> {
          floor.lose(node);
          any = true;
        }
        case Absences.News.Back(int node) -> {
          floor.regain(node);
          any = true;
        }
        case Absences.News.None _ -> {}
      }
    }
    return any;
  }

  private long wake() {
    return Math.max(floor.now() + 1, policy.wakeAt(floor));
  }

  /// Whether anybody has to look at it.
  private boolean arrive(TraceJob job) {
    Ask ask = Ask.of(job, semantics.oneGpuWorkers());
    boolean waits = floor.arrive(new Work(recorder.submit(job), job, ask));
    submitted++;
    return waits;
  }
}
