/// What a run came to, for people and programs: a summary, files and a report.
@NullMarked
package dev.muster.simulator.report;

import org.jspecify.annotations.NullMarked;
