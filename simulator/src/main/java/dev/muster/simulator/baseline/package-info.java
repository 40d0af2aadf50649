/// Classic scheduling policies, to compare the engine with: one small file each, with its paper.
/// They share the loop of the engine's run. Read [Baseline] first, then [BaselineRun].
@NullMarked
package dev.muster.simulator.baseline;

import org.jspecify.annotations.NullMarked;
