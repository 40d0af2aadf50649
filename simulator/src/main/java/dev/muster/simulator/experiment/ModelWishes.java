package dev.muster.simulator.experiment;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.trace.GpuRange;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The GPU models that jobs without a model of their own prefer, by their number of GPUs.
///
/// The other models of the fleet follow the preferred ones, so a job starts there if these are
/// taken.
///
/// @param wishes the wishes; the first that fits a job counts
public record ModelWishes(List<Wish> wishes) {
  /// No wishes.
  public static final ModelWishes NONE = new ModelWishes(List.of());

  private static final Pattern FORM = Pattern.compile("([^:]+):([^:>]+(?:>[^:>]+)*)");

  public ModelWishes {
    wishes = List.copyOf(wishes);
  }

  /// A wish of jobs of some sizes.
  ///
  /// @param text as its user wrote it
  /// @param sizes the sizes of the jobs
  /// @param models the preferred models, the most wanted first
  public record Wish(String text, GpuRange sizes, List<String> models) {}

  /// Parses wishes of the form `8+:V100`, `1-7:P100>P4` or `4:P4`.
  ///
  /// @throws IllegalArgumentException if one has another form
  public static ModelWishes of(List<String> texts) {
    return new ModelWishes(texts.stream().map(ModelWishes::wish).toList());
  }

  private static Wish wish(String text) {
    Matcher matcher = FORM.matcher(text);
    Optional<GpuRange> sizes =
        matcher.matches() ? GpuRange.parse(matcher.group(1)) : Optional.empty();
    return sizes
        .map(range -> new Wish(text, range, List.of(matcher.group(2).split(">", -1))))
        .orElseThrow(() ->
            new IllegalArgumentException(
                "--prefer \"%s\": not of the form 8+:V100 or 1-7:P100>P4.".formatted(text)));
  }

  /// Returns these wishes after a check against the fleets.
  ///
  /// @throws IllegalArgumentException if one names a model that no fleet has
  public ModelWishes on(List<Fleet> fleets) {
    List<String> known =
        fleets.stream()
            .flatMap(fleet -> fleet.models().keySet().stream())
            .filter(model -> !model.isEmpty())
            .distinct()
            .toList();
    for (Wish wish : wishes) {
      for (String model : wish.models()) {
        if (known.stream().noneMatch(preference(List.of(model))::accepts)) {
          throw new IllegalArgumentException(
              "--prefer %s: the fleet has no GPU model %s. Known: %s."
                  .formatted(
                      wish.text(), model, known.isEmpty() ? "none" : String.join(", ", known)));
        }
      }
    }
    return this;
  }

  /// Returns the job with the models that it prefers on the fleet.
  TraceJob of(TraceJob job, Fleet fleet) {
    return wishes.stream()
        .filter(wish -> wish.sizes().contains(job))
        .findFirst()
        .map(wish -> preferring(job, wish, fleet))
        .orElse(job);
  }

  private static TraceJob preferring(TraceJob job, Wish wish, Fleet fleet) {
    List<String> models = new ArrayList<>(wish.models());
    GpuModelPreference wanted = preference(wish.models());
    fleet.models().keySet().stream()
        .filter(model -> !model.isEmpty() && !wanted.accepts(model))
        .forEach(models::add);
    return job.constrained(
        job.constraints().or(GangConstraints.of(TopologyConstraint.NONE, preference(models))));
  }

  private static GpuModelPreference preference(List<String> models) {
    return new GpuModelPreference(models, false);
  }

  /// Returns the wishes as a sentence each.
  List<String> sentences() {
    return wishes.stream()
        .map(wish -> {
          String sizes = wish.text().substring(0, wish.text().indexOf(':'));
          return String.format(
              Locale.ROOT,
              "Jobs of %s GPUs without a model of their own prefer %s, then the other models.",
              sizes,
              String.join(", then ", wish.models()));
        })
        .toList();
  }
}
