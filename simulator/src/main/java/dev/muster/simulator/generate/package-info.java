/// Traces that are made up, from distributions that are stated.
@NullMarked
package dev.muster.simulator.generate;

import org.jspecify.annotations.NullMarked;
