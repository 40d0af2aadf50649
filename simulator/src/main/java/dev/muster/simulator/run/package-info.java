/// Runs of a trace on a fleet, and what they come to. Read [MusterRun] first.
@NullMarked
package dev.muster.simulator.run;

import org.jspecify.annotations.NullMarked;
