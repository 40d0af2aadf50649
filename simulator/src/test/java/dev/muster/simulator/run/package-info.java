@NullMarked
package dev.muster.simulator.run;

import org.jspecify.annotations.NullMarked;
