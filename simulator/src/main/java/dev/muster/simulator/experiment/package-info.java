/// Whole experiments: one run as a user asks for it, and many of them to compare, to sweep over, or
/// to search with. Read [Scenario] first.
@NullMarked
package dev.muster.simulator.experiment;

import org.jspecify.annotations.NullMarked;
