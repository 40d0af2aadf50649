/// The commands of `muster simulate`.
@NullMarked
package dev.muster.simulator.cli;

import org.jspecify.annotations.NullMarked;
