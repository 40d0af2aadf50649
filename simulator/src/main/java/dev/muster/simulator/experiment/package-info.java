/// Experiments: one run as a user requests it, comparisons, sweeps and searches.
///
/// Read [Scenario] first.
@NullMarked
package dev.muster.simulator.experiment;

import org.jspecify.annotations.NullMarked;
