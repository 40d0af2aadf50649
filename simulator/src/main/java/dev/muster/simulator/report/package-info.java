/// The result files of a run and the HTML report.
@NullMarked
package dev.muster.simulator.report;

import org.jspecify.annotations.NullMarked;
