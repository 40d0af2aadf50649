/// Exports of a live cluster for simulations: its jobs, nodes and state, with optional name hashes.
@NullMarked
package dev.muster.simulator.live;

import org.jspecify.annotations.NullMarked;
