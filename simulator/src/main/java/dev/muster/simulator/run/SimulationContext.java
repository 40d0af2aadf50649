package dev.muster.simulator.run;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.record.Recorder;
import dev.muster.simulator.run.record.SpeedModel;

/// The objects that the loop of a run and its scheduler share.
///
/// @param fleet nodes, known by their index in it
/// @param queue clock, with due completions and bindings
/// @param outages absent nodes and their expected returns
/// @param gangSpeed speed of a job on given nodes
/// @param recorder recorder of all events
public record SimulationContext(
    Fleet fleet, EventQueue queue, NodeOutages outages, GangSpeed gangSpeed, Recorder recorder) {
  /// Returns the context of a run in which nothing has happened.
  ///
  /// @param seed seed of the outages
  public static SimulationContext of(
      Fleet fleet, SpeedModel speed, OutageSchedule outages, long seed) {
    return new SimulationContext(
        fleet,
        new EventQueue(),
        new NodeOutages(fleet, outages, seed),
        new GangSpeed(fleet, speed),
        new Recorder(fleet, speed));
  }

  /// Moves the clock forward.
  public void advance(long millis) {
    queue.advance(millis);
    recorder.advance(queue.now());
  }

  /// Returns the time, in milliseconds since the start of the run.
  public long now() {
    return queue.now();
  }
}
