@NullMarked
package dev.muster.simulator;

import org.jspecify.annotations.NullMarked;
