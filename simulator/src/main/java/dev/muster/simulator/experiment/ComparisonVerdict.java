package dev.muster.simulator.experiment;

import dev.muster.simulator.experiment.Variant.Waits;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.report.Headline;
import dev.muster.simulator.summary.Distribution;
import dev.muster.simulator.summary.Summary;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/// The headline of a comparison: the variant with the shortest mean wait, and where it is not best.
public final class ComparisonVerdict {
  private ComparisonVerdict() {}

  /// Returns the headline.
  ///
  /// @param variants at least one; the first is the baseline
  public static Headline of(List<Variant> variants) {
    Variant first = variants.getFirst();
    Variant best = best(variants);
    boolean priced = variants.stream().anyMatch(each -> each.mean(Summary::cost) > 0);
    return new Headline(
        "",
        answer(variants, best),
        List.of(
            new Headline.Figure("mean wait of " + best.shortName(), wait(best)),
            new Headline.Figure(
                best.worstSize()
                    .map(size -> "p95 wait, " + FigureText.gpus(size.name()))
                    .orElse("-"),
                best.worstSize().map(ComparisonVerdict::p95).orElse("-")),
            Headline.money(
                best.mean(Summary::cost),
                best.mean(Summary::costPerMonth),
                best.mean(Summary::strandedGpuHours))),
        new Headline.Plot(
            priced ? "cost per month" : "GPUs of the fleet",
            "p95 wait (log scale)",
            true,
            null,
            null,
            null,
            variants.stream()
                .filter(each -> p95Wait(each).isPresent())
                .map(each ->
                    new Headline.Point(
                        each.shortName(),
                        priced ? each.mean(Summary::costPerMonth) : each.mean(Summary::gpus),
                        p95Wait(each).orElse(0),
                        each.equals(best)))
                .toList()),
        variants.stream().flatMap(each -> TradeOff.of(first, each).stream()).toList(),
        List.of(),
        List.of());
  }

  /// Returns the variant with the shortest mean wait of those with the most jobs done.
  private static Variant best(List<Variant> variants) {
    return variants.stream()
        .min(
            Comparator.<Variant>comparingDouble(each -> -done(each))
                .thenComparingDouble(
                    each -> each.mean(Summary::waitS, Distribution::mean).orElse(Double.MAX_VALUE)))
        .orElseThrow();
  }

  private static double done(Variant variant) {
    return variant.mean(run -> run.states().getOrDefault("done", 0L));
  }

  private static String answer(List<Variant> variants, Variant best) {
    Variant first = variants.getFirst();
    boolean same =
        variants.size() > 1
            && variants.stream().map(ComparisonVerdict::wait).distinct().count() == 1;
    StringBuilder answer =
        new StringBuilder(
            same
                ? "All %d variants have the same mean wait: ".formatted(variants.size())
                : best.shortName() + " has the shortest mean wait: ");
    answer.append(wait(best));
    if (!same && !best.equals(first)) {
      answer.append(", not %s as %s".formatted(wait(first), first.shortName()));
    }
    answer.append('.');
    best.worstSize()
        .filter(size -> longest(best) > 0)
        .ifPresent(size ->
            answer
                .append(same ? " The worst size of " + best.shortName() : " Its worst size")
                .append(largest(variants, best, size)));
    return answer.toString();
  }

  /// Says whether another variant has a shorter longest wait of any size.
  private static String largest(List<Variant> variants, Variant best, Waits size) {
    Optional<Variant> shorter =
        variants.stream()
            .filter(each -> done(each) >= done(best))
            .filter(each -> longest(each) < 0.9 * longest(best))
            .min(Comparator.comparingDouble(ComparisonVerdict::longest));
    return ", %s, waits %s at p95%s."
        .formatted(
            FigureText.gpus(size.name()),
            p95(size),
            shorter
                .map(each ->
                    "; the worst size of %s waits %s"
                        .formatted(each.shortName(), FigureText.time(longest(each))))
                .orElse(variants.size() > 1 ? ", and no other variant does better" : ""));
  }

  private static double longest(Variant variant) {
    return variant.worstSize().flatMap(size -> size.p95().stream().boxed().findAny()).orElse(0.0);
  }

  private static String p95(Waits size) {
    return FigureText.time(size.p95().orElse(0));
  }

  private static OptionalDouble p95Wait(Variant variant) {
    return variant.mean(Summary::waitS, Distribution::p95);
  }

  private static String wait(Variant variant) {
    OptionalDouble mean = variant.mean(Summary::waitS, Distribution::mean);
    return mean.isEmpty() ? "-" : FigureText.time(mean.getAsDouble());
  }
}
