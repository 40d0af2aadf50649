/// Fuzz targets for the files of simulations.
@NullMarked
package dev.muster.simulator.fuzz;

import org.jspecify.annotations.NullMarked;
