@NullMarked
package dev.muster.simulator.baseline;

import org.jspecify.annotations.NullMarked;
