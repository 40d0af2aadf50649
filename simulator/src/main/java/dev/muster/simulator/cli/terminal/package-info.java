/// What the commands show in a terminal: status lines, progress and tables.
@NullMarked
package dev.muster.simulator.cli.terminal;

import org.jspecify.annotations.NullMarked;
