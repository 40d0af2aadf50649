/// The figures of a run, computed once for the terminal, the files and the report.
@NullMarked
package dev.muster.simulator.summary;

import org.jspecify.annotations.NullMarked;
