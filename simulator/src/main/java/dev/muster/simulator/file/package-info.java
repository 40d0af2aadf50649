/// Input files read row by row with exact error places, and output files written atomically.
///
/// Input files are plain or compressed.
@NullMarked
package dev.muster.simulator.file;

import org.jspecify.annotations.NullMarked;
