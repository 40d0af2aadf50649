/// How fast the simulator is, with the goals beside.
@NullMarked
package dev.muster.simulator.bench;

import org.jspecify.annotations.NullMarked;
