/// The results of a run: summary figures, result files and the HTML report.
@NullMarked
package dev.muster.simulator.report;

import org.jspecify.annotations.NullMarked;
