package dev.muster.simulator.run;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The clock of a simulated cluster, with the scheduled events.
///
/// Events are ordered by time, at one instant by [EventKind], and within one kind by the order in
/// which they were scheduled. Times are milliseconds since the start of the run.
public final class EventQueue {
  /// The time of an event that never happens.
  public static final long NEVER = Long.MAX_VALUE;

  private final PriorityQueue<Entry> entries = new PriorityQueue<>(Entry.ORDER);
  private long now;
  private long number;

  /// @param progress progress of the job that completes; null for other events
  private record Entry(
      long at,
      EventKind kind,
      long number,
      @Nullable JobProgress progress,
      int starts,
      Runnable action) {
    static final Comparator<Entry> ORDER =
        Comparator.comparingLong(Entry::at)
            .thenComparing(Entry::kind)
            .thenComparingLong(Entry::number);

    /// True if the job was stopped, or changed its speed, after its completion was scheduled.
    boolean isStale() {
      return progress != null && (!progress.runs() || progress.starts() != starts);
    }
  }

  /// Returns the time of the newest event.
  public long now() {
    return now;
  }

  /// Moves the clock forward; it never runs backwards.
  void advance(long millis) {
    now = Math.max(now, millis);
  }

  /// Schedules an action.
  public void schedule(long at, EventKind kind, Runnable action) {
    entries.add(new Entry(at, kind, number++, null, 0, action));
  }

  /// Schedules the completion of a running job. It is dropped if the job is stopped or changes its
  /// speed before.
  public void scheduleCompletion(JobProgress progress, Runnable action) {
    entries.add(
        new Entry(
            progress.end(), EventKind.COMPLETION, number++, progress, progress.starts(), action));
  }

  /// Returns the time of the next event, or [#NEVER] if there is none. Stale completions are
  /// dropped, since they may lie behind the last job.
  public long nextAt() {
    while (!entries.isEmpty() && entries.element().isStale()) {
      entries.remove();
    }
    return entries.isEmpty() ? NEVER : entries.element().at();
  }

  /// Returns the kind of the next event, which must exist.
  EventKind nextKind() {
    return entries.element().kind();
  }

  /// Runs the next event; the clock must have reached its time.
  public void runNext() {
    entries.remove().action().run();
  }
}
