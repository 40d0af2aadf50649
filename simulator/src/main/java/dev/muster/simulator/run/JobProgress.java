package dev.muster.simulator.run;

/// The progress of one job. Times are milliseconds. Work is microseconds at full speed, so that the
/// rounding of a speed such as 1/1.37 neither moves an end nor changes the order of two jobs.
public final class JobProgress {
  /// The number of node failures in a row, without any progress between, after which a job is given
  /// up. Such a job fails more often than its checkpoints or its restarts permit progress.
  public static final int MOST_FAILURES = 1_000;

  /// Units of work in a millisecond at full speed.
  public static final int MICROS = 1_000;

  private final long whole; // work
  private long left; // work at `from`
  private long before; // work at the last start
  private long since = -1;
  private long idle;
  private long from; // start of progress at this rate
  private double rate = 1;
  private int starts;
  private int failures; // in a row, since the last progress

  /// Creates the progress of a job that has not started.
  ///
  /// @param run run time at full speed
  public JobProgress(long run) {
    this.whole = run * MICROS;
    this.left = whole;
  }

  /// Starts the job now.
  ///
  /// @param restart delay before progress, if the job has run before
  /// @param speed 1 is the speed of the trace
  public void begin(long now, long restart, double speed) {
    since = now;
    idle = starts > 0 ? restart : 0;
    from = now + idle;
    rate = speed;
    before = left;
    starts++;
  }

  /// Continues the job at another speed, after members came or left.
  ///
  /// @return true if its end has changed
  public boolean change(long now, double speed) {
    if (rate == speed) {
      return false;
    }
    left = left(now);
    from = Math.max(from, now);
    rate = speed;
    starts++;
    return true;
  }

  /// True if the job runs.
  public boolean runs() {
    return since >= 0;
  }

  /// Returns the number of starts and speed changes, which distinguishes one expected end from the
  /// next.
  public int starts() {
    return starts;
  }

  /// Returns the time of the last start; -1 if the job does not run.
  public long since() {
    return since;
  }

  /// Returns the end of the job if its speed does not change.
  public long end() {
    return from + Math.ceilDiv(rate == 1 ? left : Math.round(left / rate), MICROS);
  }

  /// Returns the remaining run time at full speed, in microseconds.
  public long left(long now) {
    if (since < 0) {
      return left;
    }
    long on = Math.max(0, now - from) * MICROS;
    return Math.max(0, left - (rate == 1 ? on : Math.round(on * rate)));
  }

  /// Stops the job.
  ///
  /// @return lost run time: until progress began, and the share of the progress that must be
  ///   repeated
  public long stop(long now, PreemptionCost preemptionCost) {
    long ran = now - since;
    long on = Math.max(0, ran - idle);
    long done = before - left(now);
    left = whole - Math.max(whole - before, preemptionCost.kept(whole - before + done));
    since = -1;
    failures = left < before ? 0 : failures;
    double useful = done == 0 ? 0 : (double) (before - left) / done;
    return ran - Math.round(on * useful);
  }

  /// Counts a node failure under the job.
  ///
  /// @return true if there were too many in a row, so that the job can be given up
  public boolean fails() {
    return ++failures >= MOST_FAILURES;
  }

  /// Counts the first `overhead` milliseconds of the run as lost; the job goes on.
  ///
  /// @return lost run time
  public long charge(long now, long overhead) {
    idle = overhead;
    from = since + overhead;
    return stop(now, PreemptionCost.NONE);
  }
}
