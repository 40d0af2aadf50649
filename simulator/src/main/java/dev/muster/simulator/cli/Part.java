package dev.muster.simulator.cli;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Which part of something runs here.
///
/// @param index from 0
/// @param of how many parts there are
record Part(int index, int of) {
  /// Where a Kubernetes Indexed Job tells its pods which they are.
  private static final String VARIABLE = "JOB_COMPLETION_INDEX";

  /// The part that the options name, else the environment, else the first.
  ///
  /// @param index as `--index` says it; null where it was not given
  /// @throws IllegalArgumentException if there is no such part
  static Part of(@Nullable Integer index, int of, Map<String, String> environment) {
    Optional<String> told =
        index == null ? Optional.ofNullable(environment.get(VARIABLE)) : Optional.empty();
    int here = index == null ? told.map(Part::number).orElse(0) : index;
    if (of < 1 || here < 0 || here >= of) {
      throw new IllegalArgumentException(
          "The part %s %d --of %d does not exist; parts are counted from 0. Maybe --of is missing."
              .formatted(told.isPresent() ? "$" + VARIABLE : "--index", here, of));
    }
    return new Part(here, of);
  }

  private static int number(String told) {
    try {
      return Integer.parseInt(told);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(
          "$%s is \"%s\", which is not a whole number, or too large. Maybe unset it, or name the part with --index."
              .formatted(VARIABLE, told));
    }
  }
}
