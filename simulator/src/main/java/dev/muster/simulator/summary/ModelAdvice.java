package dev.muster.simulator.summary;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The advice that follows from the use of GPU models: the move that saves most.
public final class ModelAdvice {
  private ModelAdvice() {}

  /// Returns the advice in a sentence or two; empty where no job would be faster on another model.
  public static Optional<String> of(List<ModelUse> uses) {
    if (uses.stream().allMatch(use -> use.faster().isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(
        uses.stream()
            .filter(use -> use.attainableGpuHours() >= 0.1)
            .max(Comparator.comparingDouble(ModelUse::attainableGpuHours))
            .map(ModelAdvice::sentence)
            .orElse(
                "The faster models had no idle GPU-hours: a job that moves there makes another one move away."));
  }

  private static String sentence(ModelUse use) {
    String part =
        use.movableShare() < 1
            ? String.format(
                Locale.ROOT, ", since %s was idle for only %,.1f", use.faster(), use.idleGpuHours())
            : String.format(
                Locale.ROOT, "; %s was idle for %,.1f", use.faster(), use.idleGpuHours());
    boolean whole = Character.isDigit(use.size().charAt(0));
    String test =
        whole ? " Compare a run with --prefer %s:%s.".formatted(use.size(), use.faster()) : "";
    return String.format(
            Locale.ROOT,
            "%s on %s would save up to %,.1f of %,.1f GPU-hours on %s%s.",
            whole ? use.size() + "-GPU jobs" : "Jobs of a part of one GPU",
            use.model(),
            use.attainableGpuHours(),
            use.gpuHours(),
            use.faster(),
            part)
        + test;
  }
}
