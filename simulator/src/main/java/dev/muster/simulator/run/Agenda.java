package dev.muster.simulator.run;

import java.util.PriorityQueue;

/// The starts and ends of gangs that are to come, in order of time; at one instant ends come first,
/// then what was put down first.
final class Agenda {
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long number;

  /// A start or an end of a gang as it is now.
  record Entry(long at, long number, SimGang gang, int starts, boolean ends)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(at, other.at);
      int byKind = byTime == 0 ? Boolean.compare(other.ends, ends) : byTime;
      return byKind == 0 ? Long.compare(number, other.number) : byKind;
    }

    /// Whether the gang still runs since the start that was meant.
    boolean isOn() {
      return gang.effort.runs() && gang.effort.starts() == starts;
    }
  }

  /// The gang is to start then.
  void start(SimGang gang, long at) {
    put(gang, at, false);
  }

  /// The gang, which has just started, is to end when it has run.
  void end(SimGang gang) {
    put(gang, gang.effort.end(), true);
  }

  private void put(SimGang gang, long at, boolean ends) {
    entries.add(new Entry(at, number++, gang, gang.effort.starts(), ends));
  }

  /// When the next is due; never if there is none. Ends of starts that are over are forgotten: they
  /// may lie behind the last job.
  long nextAt() {
    while (!entries.isEmpty() && entries.element().ends() && !entries.element().isOn()) {
      entries.remove();
    }
    return entries.isEmpty() ? Long.MAX_VALUE : entries.element().at();
  }

  /// Takes the next.
  Entry take() {
    return entries.remove();
  }
}
