/// What the tests of the simulator are written with.
@NullMarked
package dev.muster.simulator.kit;

import org.jspecify.annotations.NullMarked;
