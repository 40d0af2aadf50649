/// The machines of a simulation: how many, of what kind, where in the fabric.
@NullMarked
package dev.muster.simulator.fleet;

import org.jspecify.annotations.NullMarked;
