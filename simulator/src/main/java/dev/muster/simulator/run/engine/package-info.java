/// The live scheduler in a simulated run: the engine, a virtual cluster and cloud nodes.
@NullMarked
package dev.muster.simulator.run.engine;

import org.jspecify.annotations.NullMarked;
