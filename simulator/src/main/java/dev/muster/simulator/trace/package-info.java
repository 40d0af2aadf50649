/// What is to be simulated: jobs read from traces, or made up.
@NullMarked
package dev.muster.simulator.trace;

import org.jspecify.annotations.NullMarked;
