/// The record of a run: outcomes, time series and usage.
@NullMarked
package dev.muster.simulator.run.record;

import org.jspecify.annotations.NullMarked;
