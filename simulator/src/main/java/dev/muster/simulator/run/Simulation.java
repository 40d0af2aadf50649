package dev.muster.simulator.run;

import dev.muster.simulator.trace.Trace;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/// The loop of every run: a trace on a fleet under one scheduler.
///
/// Time jumps from event to event. At one instant events happen in the order of [EventKind], and
/// each is reported to the scheduler. The run ends when no job waits, runs or is still to be
/// submitted. It also ends when waiting cannot help: no other event is due, and no absent node
/// would change anything.
public final class Simulation {
  private static final int WATCH_EVERY = 1 << 8;

  private final SimulationContext context;
  private final EventQueue queue;
  private final NodeOutages outages;
  private final SimulatedScheduler scheduler;
  private final Submissions submissions;
  private final RunObserver observer;
  private long events;
  private boolean stopped;

  private Simulation(
      SimulationContext context, Trace trace, SimulatedScheduler scheduler, RunObserver observer) {
    this.context = context;
    this.queue = context.queue();
    this.outages = context.outages();
    this.scheduler = scheduler;
    this.submissions = new Submissions(trace, scheduler::priority, context.recorder()::submit);
    this.observer = observer;
  }

  /// The time of the next event of a source.
  private record Due(long at, EventKind kind) implements Comparable<Due> {
    private static final Comparator<Due> ORDER =
        Comparator.comparingLong(Due::at).thenComparing(Due::kind);

    @Override
    public int compareTo(Due other) {
      return ORDER.compare(this, other);
    }
  }

  /// Runs a trace to its end.
  ///
  /// @return true if the observer stopped it before
  public static boolean run(
      SimulationContext context, Trace trace, SimulatedScheduler scheduler, RunObserver observer) {
    Simulation simulation = new Simulation(context, trace, scheduler, observer);
    simulation.run();
    return simulation.stopped;
  }

  private void run() {
    scheduler.react();
    for (Optional<Due> due = next(); due.isPresent() && !stopped; due = next()) {
      context.advance(due.get().at());
      if (++events % WATCH_EVERY == 0) {
        stopped = !observer.goesOn(submissions.taken(), queue.now());
      }
      happen(due.get().kind());
      scheduler.react();
    }
  }

  /// Returns the next event; empty when the run is over.
  private Optional<Due> next() {
    long submission = submissions.nextAt();
    if (submission == EventQueue.NEVER && !scheduler.hasJobs()) {
      return Optional.empty();
    }
    PriorityQueue<Due> due = new PriorityQueue<>();
    if (queue.nextAt() < EventQueue.NEVER) {
      due.add(new Due(queue.nextAt(), queue.nextKind()));
    }
    add(due, submission, EventKind.SUBMISSION);
    add(due, scheduler.nextScalingAt(), EventKind.SCALING);
    boolean idle = due.isEmpty();
    add(due, scheduler.nextDecisionAt(idle), EventKind.DECISION);
    boolean vain = outages.isVain(idle, queue.now());
    if (vain && (due.isEmpty() || outages.down() > 0)) {
      return Optional.empty();
    }
    add(due, outages.nextAt(), EventKind.OUTAGE);
    return Optional.ofNullable(due.poll());
  }

  private static void add(PriorityQueue<Due> due, long at, EventKind kind) {
    if (at < EventQueue.NEVER) {
      due.add(new Due(at, kind));
    }
  }

  private void happen(EventKind kind) {
    switch (kind) {
      case COMPLETION, BINDING -> queue.runNext();
      case OUTAGE -> outages.take(scheduler);
      case SUBMISSION -> {
        Submissions.Submitted job = submissions.take();
        scheduler.submit(job.index(), job.job());
      }
      case SCALING -> scheduler.scale();
      case DECISION -> scheduler.decide();
    }
  }
}
