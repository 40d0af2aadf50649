package dev.muster.simulator.run;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The clock of a simulated world, and what is scheduled to happen in it.
///
/// Events come in order of time, at one instant in the order of [EventKind], and those of one kind
/// as they were scheduled. Times are milliseconds since the start of the run.
public final class EventQueue {
  /// The time of what does not happen.
  public static final long NEVER = Long.MAX_VALUE;

  private final PriorityQueue<Entry> entries = new PriorityQueue<>(Entry.ORDER);
  private long now;
  private long number;

  /// @param progress that of the job whose completion it is; null for other events
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

    /// Whether the job was stopped, or changed its speed, after its completion was scheduled.
    boolean isStale() {
      return progress != null && (!progress.runs() || progress.starts() != starts);
    }
  }

  /// The time of the newest event.
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

  /// Schedules what happens when a running job is done, unless it is stopped before or changes its
  /// speed.
  public void scheduleCompletion(JobProgress progress, Runnable action) {
    entries.add(
        new Entry(
            progress.end(), EventKind.COMPLETION, number++, progress, progress.starts(), action));
  }

  /// When the next event is due; [#NEVER] if there is none. Stale completions are dropped, since
  /// they may lie behind the last job.
  public long nextAt() {
    while (!entries.isEmpty() && entries.element().isStale()) {
      entries.remove();
    }
    return entries.isEmpty() ? NEVER : entries.element().at();
  }

  /// The kind of the next event, which there must be.
  EventKind nextKind() {
    return entries.element().kind();
  }

  /// Makes the next event happen; the clock has come to its time.
  public void runNext() {
    entries.remove().action().run();
  }
}
