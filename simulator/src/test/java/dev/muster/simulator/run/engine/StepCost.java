package dev.muster.simulator.run.engine;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Driver;
import dev.muster.core.drive.Journal;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.TraceJob;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/// Measures the engine's steps in a simulation and without a world. Without a world, events pass
/// through the live [Driver]. The unit is processor time of this thread, which other work affects
/// little and the collector not at all.
public final class StepCost {
  private static final int ROUNDS = 5;
  private static final String SAMPLE = "jdk.ExecutionSample";

  private final Fleet fleet;
  private final List<TraceJob> jobs;
  private final List<Event> events = new ArrayList<>();
  private long simulated = Long.MAX_VALUE;
  private long bare = Long.MAX_VALUE;
  private long inEngine;
  private long samples;

  private StepCost(Fleet fleet, List<TraceJob> jobs) {
    this.fleet = fleet;
    this.jobs = jobs;
  }

  /// Measures the default policy on these jobs: the best of some rounds, in turns, after a warm-up.
  /// It has a thread of its own: what calls it would fill the recorded stacks.
  public static StepCost of(Fleet fleet, List<TraceJob> jobs)
      throws ExecutionException, InterruptedException {
    StepCost cost = new StepCost(fleet, jobs);
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      thread.submit(cost::measure).get();
    }
    return cost;
  }

  private boolean measure() throws IOException, InterruptedException {
    simulate((event, _) -> events.add(event));
    replay();
    for (int round = 0; round < ROUNDS; round++) {
      simulated = Math.min(simulated, record());
      bare = Math.min(bare, replay());
    }
    return true;
  }

  /// Returns the number of steps.
  public int steps() {
    return events.size();
  }

  /// Microseconds of a step without a world.
  public double bareMicros() {
    return bare / 1e3 / steps();
  }

  /// Microseconds of a step in the simulation.
  public double simulatedMicros() {
    return simulated * engineShare() / 1e3 / steps();
  }

  /// The share of the simulation's samples that lie in the engine, 0 to 1.
  public double engineShare() {
    return (double) inEngine / samples;
  }

  private long simulate(Journal journal) throws InterruptedException {
    SimulationSetup setup =
        new SimulationSetup("made up", "muster", "muster", 42, Instant.EPOCH, List.of());
    JobList trace = new JobList(jobs);
    MusterRun.Options options = MusterRun.Options.DEFAULT;
    long from = cpu();
    MusterRun.of(setup, fleet, trace, Policies.DEFAULT, options, journal);
    return cpu() - from;
  }

  private long replay() throws InterruptedException {
    Iterator<Event> rest = events.iterator();
    Driver driver =
        new Driver(
            new Engine(Policies.DEFAULT),
            () -> rest.hasNext() ? Optional.of(rest.next()) : Optional.empty(),
            Journal.NONE,
            _ -> {});
    long from = cpu();
    driver.run(State.empty(fleet.topology(), Policies.DEFAULT));
    return cpu() - from;
  }

  private long record() throws IOException, InterruptedException {
    Path file = Files.createTempFile("simulation", ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable(SAMPLE).withPeriod(Duration.ofMillis(10));
      recording.start();
      long nanos = simulate(Journal.NONE);
      recording.stop();
      recording.dump(file);
      RecordingFile.readAllEvents(file).stream().filter(StepCost::isHere).forEach(this::count);
      return nanos;
    } finally {
      Files.delete(file);
    }
  }

  private static boolean isHere(RecordedEvent event) {
    return event.getEventType().getName().equals(SAMPLE)
        && event.getStackTrace() != null
        && event.getThread("sampledThread").getJavaThreadId() == Thread.currentThread().threadId();
  }

  /// Only the engine's stacks are so deep that they are cut off.
  private void count(RecordedEvent event) {
    RecordedStackTrace stack = event.getStackTrace();
    boolean engine =
        stack.isTruncated()
            || stack.getFrames().stream()
                .map(frame -> frame.getMethod().getType().getName())
                .anyMatch(Engine.class.getName()::equals);
    inEngine += engine ? 1 : 0;
    samples++;
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
