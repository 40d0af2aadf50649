/// Options that several commands share, with their checks.
@NullMarked
package dev.muster.simulator.cli.option;

import org.jspecify.annotations.NullMarked;
