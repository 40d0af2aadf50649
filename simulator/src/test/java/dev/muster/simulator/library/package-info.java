/// The program of docs/simulator-library.md that uses the simulator as a library.
@NullMarked
package dev.muster.simulator.library;

import org.jspecify.annotations.NullMarked;
