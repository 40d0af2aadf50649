/// The scheduler's loop, and the ports to the live and the simulated cluster.
@NullMarked
package dev.muster.core.drive;

import org.jspecify.annotations.NullMarked;
