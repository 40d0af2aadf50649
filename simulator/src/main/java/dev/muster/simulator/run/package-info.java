/// Runs of a trace on a fleet: the loop, the engine as a scheduler in it, and the record of what
/// happens. Read [Simulation] first, then [SimulatedScheduler].
@NullMarked
package dev.muster.simulator.run;

import org.jspecify.annotations.NullMarked;
