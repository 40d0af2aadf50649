/// Classic scheduling policies, for comparison with the engine: one small file each, with its
/// paper. They share the loop of the engine's run. Read [BaselinePolicy] first, then [BaselineRun].
@NullMarked
package dev.muster.simulator.baseline;

import org.jspecify.annotations.NullMarked;
