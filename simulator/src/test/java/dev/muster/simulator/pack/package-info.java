@NullMarked
package dev.muster.simulator.pack;

import org.jspecify.annotations.NullMarked;
