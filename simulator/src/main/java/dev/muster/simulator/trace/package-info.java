/// Traces of jobs: the own format, and what all formats share.
@NullMarked
package dev.muster.simulator.trace;

import org.jspecify.annotations.NullMarked;
