/// One file for each published trace format.
@NullMarked
package dev.muster.simulator.trace.format;

import org.jspecify.annotations.NullMarked;
