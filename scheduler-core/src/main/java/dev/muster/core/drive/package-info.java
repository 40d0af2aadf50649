/// The only loop, and the ports through which it meets the live or the simulated world.
@NullMarked
package dev.muster.core.drive;

import org.jspecify.annotations.NullMarked;
