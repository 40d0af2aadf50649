package dev.muster.simulator.cli.option;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The part of the work that this process runs.
///
/// @param index number of the part, from 0
/// @param of number of parts
public record ShardOption(int index, int of) {
  /// The environment variable with the index of a pod of a Kubernetes Indexed Job.
  private static final String VARIABLE = "JOB_COMPLETION_INDEX";

  /// Returns the part from the option, else from the environment, else the first one.
  ///
  /// @param index value of `--index`; null if it is not given
  /// @throws IllegalArgumentException if there is no such part
  public static ShardOption of(@Nullable Integer index, int of, Map<String, String> environment) {
    Optional<String> told =
        index == null ? Optional.ofNullable(environment.get(VARIABLE)) : Optional.empty();
    int here = index == null ? told.map(ShardOption::number).orElse(0) : index;
    if (of < 1 || here < 0 || here >= of) {
      throw new IllegalArgumentException(
          "%s %d is out of range: there are %d parts (--of), numbered from 0."
              .formatted(told.isPresent() ? "$" + VARIABLE : "--index", here, of));
    }
    return new ShardOption(here, of);
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
