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
          "%s %d is out of range: there are %d parts (--of), numbered from 0."
              .formatted(told.isPresent() ? "$" + VARIABLE : "--index", here, of));
    }
    return new Part(here, of);
  }

  private static int number(String told) {
    try {
      return Integer.parseInt(told);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(
          "$%s: \"%s\" is not a whole number in range.".formatted(VARIABLE, told));
    }
  }
}
