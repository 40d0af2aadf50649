package dev.muster.simulator.run;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.record.Recorder;
import dev.muster.simulator.run.record.SpeedModel;

/// What the loop of a run and its scheduler share.
///
/// @param fleet the nodes, known by their index in it
/// @param queue the clock, and the completions and bindings that are due
/// @param outages which nodes are away, and when each is expected back
/// @param speedometer how fast a job runs where
/// @param recorder where all that happens is recorded
public record SimulationContext(
    Fleet fleet,
    EventQueue queue,
    NodeOutages outages,
    GangSpeed gangSpeed,
    Recorder recorder) {
  /// The context of a run in which nothing has happened.
  ///
  /// @param seed the seed of the outages
  public static SimulationContext of(Fleet fleet, SpeedModel speed, OutageSchedule outages, long seed) {
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

  /// The time, in milliseconds since the start of the run.
  public long now() {
    return queue.now();
  }
}
