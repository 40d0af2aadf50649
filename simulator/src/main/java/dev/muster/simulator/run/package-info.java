/// One run of a simulation: a trace on a fleet, event by event.
@NullMarked
package dev.muster.simulator.run;

import org.jspecify.annotations.NullMarked;
