/// Classic scheduling policies, to compare the production brain with. They do not use the engine:
/// an order, a placement and simple arrays. Read [BaselineRun] first, then [Baseline].
@NullMarked
package dev.muster.simulator.baseline;

import org.jspecify.annotations.NullMarked;
