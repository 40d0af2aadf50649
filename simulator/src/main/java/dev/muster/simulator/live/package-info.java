/// What a live cluster leaves for simulations: its jobs, its nodes, and its state, with names
/// hashed on request.
@NullMarked
package dev.muster.simulator.live;

import org.jspecify.annotations.NullMarked;
