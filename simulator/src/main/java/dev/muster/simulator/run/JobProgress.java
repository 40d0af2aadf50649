package dev.muster.simulator.run;

/// How far a job is. All times are milliseconds.
public final class JobProgress {
  /// So many failures of nodes in a row, in which it gets on not at all, are the end of a job: it
  /// fails more often than its checkpoints, or its restarts, let it get on.
  public static final int MOST_FAILURES = 1_000;

  private final long whole;
  private long left; // at `from`
  private long before; // left when it was started
  private long since = -1;
  private long idle;
  private long from; // since when it gets on at this rate
  private double rate = 1;
  private int starts;
  private int failures; // in a row, since it last got on

  /// Nothing is done yet.
  ///
  /// @param whole how long it has to run at full speed
  public JobProgress(long whole) {
    this.whole = whole;
    this.left = whole;
  }

  /// It runs from now on.
  ///
  /// @param restart how long it takes before it gets on, if it has run before
  /// @param speed 1 as the trace has it
  public void begin(long now, long restart, double speed) {
    since = now;
    idle = starts > 0 ? restart : 0;
    from = now + idle;
    rate = speed;
    before = left;
    starts++;
  }

  /// It goes on at another speed: members came or went.
  ///
  /// @return whether its end is another now
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

  /// Whether it runs.
  public boolean runs() {
    return since >= 0;
  }

  /// How often it was started or changed its speed: tells one expected end from the next.
  public int starts() {
    return starts;
  }

  /// When it last started; -1 if it does not run.
  public long since() {
    return since;
  }

  /// When it is done if it runs on like this.
  public long end() {
    return from + (rate == 1 ? left : (long) Math.ceil(left / rate));
  }

  /// What is left to run at full speed.
  public long left(long now) {
    if (since < 0) {
      return left;
    }
    long on = Math.max(0, now - from);
    return Math.max(0, left - (rate == 1 ? on : (long) Math.floor(on * rate)));
  }

  /// It is stopped.
  ///
  /// @return how long it ran for nothing: until it got on, and the share of what it then did that
  ///   is to be done again
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

  /// A node failed under it.
  ///
  /// @return whether it is one failure too many in a row, so that it can be given up
  public boolean fails() {
    return ++failures >= MOST_FAILURES;
  }

  /// It goes on, but the first so much time of what it ran was for nothing.
  ///
  /// @return how long it ran for nothing
  public long charge(long now, long overhead) {
    idle = overhead;
    from = since + overhead;
    return stop(now, PreemptionCost.NONE);
  }
}
