package dev.muster.simulator.experiment;

import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Draws traces like a given one from its own weeks, with repetition (block bootstrap, Künsch
/// 1989).
///
/// The trace is cut into equal blocks of about a week. A drawn trace has as many blocks, each a
/// copy of a random one. Whole blocks keep bursts, nights and weekends. A trace of less than four
/// weeks is cut into days, then hours. In a shorter one each submission gets a random job.
public final class Resampling {
  private static final int LEAST_BLOCKS = 4;

  private final String name;
  private final Instant start;
  private final List<TraceJob> jobs;
  private final String unit;
  private final int count;
  private final long millis;

  private Resampling(
      String name, Instant start, List<TraceJob> jobs, String unit, int count, long millis) {
    this.name = name;
    this.start = start;
    this.jobs = jobs;
    this.unit = unit;
    this.count = count;
    this.millis = millis;
  }

  /// Reads the trace and cuts it.
  public static Resampling of(TraceSource source) {
    List<TraceJob> jobs = new ArrayList<>();
    Instant start;
    try (Trace trace = source.open()) {
      trace.forEachRemaining(jobs::add);
      start = trace.start();
    }
    long first = jobs.getFirst().submitMillis();
    List<TraceJob> counted =
        jobs.stream().map(job -> job.submitted(job.submitMillis() - first)).toList();
    long span = counted.getLast().submitMillis() + 1;
    for (Unit each : Unit.values()) {
      int blocks = (int) Math.rint((double) span / each.length.toMillis());
      if (blocks >= LEAST_BLOCKS) {
        long block = (span + blocks - 1) / blocks;
        return new Resampling(source.name(), start, counted, each.text, blocks, block);
      }
    }
    return new Resampling(source.name(), start, counted, "jobs", 1, span);
  }

  private enum Unit {
    WEEK("weeks", Duration.ofDays(7)),
    DAY("days", Duration.ofDays(1)),
    HOUR("hours", Duration.ofHours(1));

    private final String text;
    private final Duration length;

    Unit(String text, Duration length) {
      this.text = text;
      this.length = length;
    }
  }

  /// What is drawn: `weeks`, `days`, `hours` or `jobs`.
  public String unit() {
    return unit;
  }

  /// Draws a trace.
  public TraceSource draw(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<TraceJob> drawn = count == 1 ? jobs(random) : blocks(random);
    return new TraceSource() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Trace open() {
        return new JobList(drawn, start, List.of(), 0);
      }
    };
  }

  private List<TraceJob> blocks(SplittableRandom random) {
    List<List<TraceJob>> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(new ArrayList<>());
    }
    jobs.forEach(job -> blocks.get((int) (job.submitMillis() / millis)).add(job));
    List<TraceJob> drawn = new ArrayList<>(jobs.size());
    for (int place = 0; place < count; place++) {
      int from = random.nextInt(count);
      for (TraceJob job : blocks.get(from)) {
        long at = job.submitMillis() + (place - from) * millis;
        drawn.add(copy(job, at, drawn.size()));
      }
    }
    return drawn.isEmpty() ? jobs : drawn;
  }

  private List<TraceJob> jobs(SplittableRandom random) {
    List<TraceJob> drawn = new ArrayList<>(jobs.size());
    for (TraceJob slot : jobs) {
      TraceJob job = jobs.get(random.nextInt(jobs.size()));
      drawn.add(copy(job, slot.submitMillis(), drawn.size()));
    }
    return drawn;
  }

  /// Returns a copy with a name of its own, since a job may be drawn twice.
  private static TraceJob copy(TraceJob job, long submitted, int number) {
    return job.submitted(submitted).named(job.id() + "~" + number);
  }
}
