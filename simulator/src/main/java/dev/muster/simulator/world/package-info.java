/// A cluster that exists in memory only, on a clock of its own: one of the two worlds the engine
/// can live in.
@NullMarked
package dev.muster.simulator.world;

import org.jspecify.annotations.NullMarked;
