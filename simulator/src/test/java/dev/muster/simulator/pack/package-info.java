/// The packing experiment: how much of a fleet can be handed out before its free GPUs are of no
/// use. Read [PackRun] first.
@NullMarked
package dev.muster.simulator.pack;

import org.jspecify.annotations.NullMarked;
