@NullMarked
package dev.muster.simulator.fleet;

import org.jspecify.annotations.NullMarked;
