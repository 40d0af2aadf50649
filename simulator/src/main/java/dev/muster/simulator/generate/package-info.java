/// Synthetic traces, drawn from documented distributions.
@NullMarked
package dev.muster.simulator.generate;

import org.jspecify.annotations.NullMarked;
