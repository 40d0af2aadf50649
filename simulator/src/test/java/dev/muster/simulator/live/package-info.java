@NullMarked
package dev.muster.simulator.live;

import org.jspecify.annotations.NullMarked;
