/// The only loop, and the ports by which the two worlds reach it.
@NullMarked
package dev.muster.core.drive;

import org.jspecify.annotations.NullMarked;
