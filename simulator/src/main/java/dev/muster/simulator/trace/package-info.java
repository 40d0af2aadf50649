/// The jobs of a simulation, read from traces in many formats.
@NullMarked
package dev.muster.simulator.trace;

import org.jspecify.annotations.NullMarked;
