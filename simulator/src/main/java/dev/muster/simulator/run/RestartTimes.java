package dev.muster.simulator.run;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.trace.GpuRange;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// The delay before progress of a job that starts again, by its size and its GPU models.
///
/// A time that the trace states for a job comes first. Otherwise the first rule that fits counts,
/// and no delay where none fits. A job on several models has the longest of their delays.
///
/// @param rules the rules, in order
public record RestartTimes(List<Rule> rules) {
  /// No delay.
  public static final RestartTimes NONE = new RestartTimes(List.of());

  /// The delay of some jobs.
  ///
  /// @param sizes the sizes of these jobs; absent: all
  /// @param model name of their GPU model; empty: all
  /// @param time the delay, zero or more
  public record Rule(Optional<GpuRange> sizes, String model, Duration time) {
    public Rule {
      if (time.isNegative()) {
        throw new IllegalArgumentException(
            "A restart takes %s; it cannot be negative.".formatted(Durations.print(time)));
      }
    }

    private boolean fits(TraceJob job, String on) {
      return (model.isEmpty() || model.equals(on))
          && (sizes.isEmpty() || sizes.get().contains(job));
    }
  }

  public RestartTimes {
    rules = List.copyOf(rules);
  }

  /// Returns this delay for all jobs.
  public static RestartTimes of(Duration time) {
    return new RestartTimes(List.of(new Rule(Optional.empty(), "", time)));
  }

  /// Parses rules of the form `TIME`, `SIZES:TIME`, `MODEL:TIME` or `SIZES:MODEL:TIME`, such as
  /// `8+:V100:10m`.
  ///
  /// @throws IllegalArgumentException if one has another form
  public static RestartTimes parse(List<String> texts) {
    return new RestartTimes(texts.stream().map(RestartTimes::rule).toList());
  }

  private static Rule rule(String text) {
    List<String> parts = List.of(text.split(":", -1));
    Duration time = Durations.parse(parts.getLast());
    List<String> conditions = parts.subList(0, parts.size() - 1);
    Optional<GpuRange> sizes =
        conditions.isEmpty() ? Optional.empty() : GpuRange.parse(conditions.getFirst());
    List<String> models = conditions.subList(sizes.isPresent() ? 1 : 0, conditions.size());
    if (models.size() > 1 || models.contains("")) {
      throw new IllegalArgumentException(
          "\"%s\" is not of the form 2m, 8+:10m, V100:5m or 8+:V100:10m.".formatted(text));
    }
    return new Rule(sizes, models.isEmpty() ? "" : models.getFirst(), time);
  }

  /// Returns these times after a check against the fleets.
  ///
  /// @throws IllegalArgumentException if one names a model that no fleet has
  public RestartTimes on(List<Fleet> fleets) {
    List<String> known =
        fleets.stream().flatMap(fleet -> fleet.models().keySet().stream()).distinct().toList();
    for (Rule rule : rules) {
      if (!rule.model().isEmpty() && !known.contains(rule.model())) {
        List<String> named = known.stream().filter(model -> !model.isEmpty()).toList();
        throw new IllegalArgumentException(
            "There is a restart time for \"%s\", but the fleet has no GPU model of this name. Known: %s."
                .formatted(rule.model(), named.isEmpty() ? "none" : String.join(", ", named)));
      }
    }
    return this;
  }

  /// Returns the delay of a job on some nodes, in milliseconds.
  ///
  /// @param nodes indexes of its nodes in the fleet, each one or more times; none for a job that
  ///   uses no GPU, which no rule for a model fits
  public long millis(TraceJob job, Fleet fleet, int[] nodes) {
    return isEven() || nodes.length == 0
        ? longest(job, List.of(""))
        : longest(
            job,
            Arrays.stream(nodes)
                .mapToObj(node -> fleet.nodes().get(node).model().name())
                .distinct()
                .toList());
  }

  /// Returns the longest delay of a job on any of these models, in milliseconds.
  public long longest(TraceJob job, Collection<String> models) {
    if (job.restartMillis().isPresent()) {
      return job.restartMillis().getAsLong();
    }
    return models.stream().mapToLong(model -> millis(job, model)).max().orElse(0);
  }

  private long millis(TraceJob job, String model) {
    for (Rule rule : rules) {
      if (rule.fits(job, model)) {
        return rule.time().toMillis();
      }
    }
    return 0;
  }

  /// True if the delay does not depend on the model.
  private boolean isEven() {
    return rules.stream().allMatch(rule -> rule.model().isEmpty());
  }

  /// Returns the rules as text, in the form that [#parse] reads.
  @Override
  public String toString() {
    return rules.isEmpty()
        ? "0s"
        : String.join(", ", rules.stream().map(RestartTimes::text).toList());
  }

  private static String text(Rule rule) {
    String sizes = rule.sizes().map(range -> range + ":").orElse("");
    String model = rule.model().isEmpty() ? "" : rule.model() + ":";
    return sizes + model + Durations.print(rule.time());
  }
}
