/// Files that are read row by row, plain or compressed, and what to say when a row is bad; files
/// that are written whole or not at all.
@NullMarked
package dev.muster.simulator.file;

import org.jspecify.annotations.NullMarked;
