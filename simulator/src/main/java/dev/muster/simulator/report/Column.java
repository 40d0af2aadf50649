package dev.muster.simulator.report;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A column of a table, whatever file it is written to.
///
/// @param name its name
/// @param type what its cells are
/// @param of the cell of a row; null where it is not known
record Column<R>(String name, Type type, Function<R, @Nullable Object> of) {
  /// What cells are.
  enum Type {
    /// A [String].
    TEXT,
    /// An [Integer] or a [Long].
    WHOLE,
    /// A number of thousandths, as a [Long].
    THOUSANDTHS,
    /// A [Double].
    DECIMAL
  }
}
