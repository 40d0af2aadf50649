@NullMarked
package dev.muster.simulator.experiment;

import org.jspecify.annotations.NullMarked;
