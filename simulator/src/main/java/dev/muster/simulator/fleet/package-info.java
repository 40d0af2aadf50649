/// The nodes of a simulation: their number, hardware and topology.
@NullMarked
package dev.muster.simulator.fleet;

import org.jspecify.annotations.NullMarked;
