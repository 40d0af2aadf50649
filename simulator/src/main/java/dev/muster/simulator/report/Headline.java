package dev.muster.simulator.report;

import dev.muster.simulator.summary.JobGroup;
import dev.muster.simulator.summary.ModelAdvice;
import dev.muster.simulator.summary.Summary;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The top of a report: its answer in a sentence, three figures, one picture and what it assumes.
///
/// @param about what was simulated, in a line
/// @param answer the answer, in a sentence or two
/// @param figures three figures
/// @param plot the picture; null where a single run has its use of the fleet instead
/// @param notes what to know with the answer, a sentence each
/// @param assumes assumptions, a sentence each; empty where the runs of the page have them
/// @param tables the tables of a page without runs
public record Headline(
    String about,
    String answer,
    List<Figure> figures,
    @Nullable Plot plot,
    List<String> notes,
    List<String> assumes,
    List<Table> tables) {
  public Headline {
    figures = List.copyOf(figures);
    notes = List.copyOf(notes);
    assumes = List.copyOf(assumes);
    tables = List.copyOf(tables);
  }

  /// A figure with its name.
  public record Figure(String label, String value) {}

  /// Points of cost against wait.
  ///
  /// @param x name of the horizontal axis
  /// @param y name of the vertical axis
  /// @param times true if the vertical figures are seconds
  /// @param goal the largest permitted figure, if there is one
  /// @param low start of the range of answers on the horizontal axis, if there is one
  /// @param high its end
  public record Plot(
      String x,
      String y,
      boolean times,
      @Nullable Double goal,
      @Nullable Double low,
      @Nullable Double high,
      List<Point> points) {}

  /// A point of the picture.
  ///
  /// @param chosen true for the answer
  public record Point(String name, double x, double y, boolean chosen) {}

  /// A table with its title.
  public record Table(String title, List<String> head, List<List<String>> rows) {}

  /// Returns the headline of one run.
  public static Headline of(Summary run) {
    Optional<JobGroup> worst =
        run.bySize().stream()
            .filter(group -> group.waitS().count() > 0)
            .max(Comparator.comparingDouble(group -> group.waitS().p95()));
    String size =
        worst
            .filter(group -> run.bySize().size() > 1)
            .map(group ->
                " Jobs of %s wait longest: %s at p95."
                    .formatted(FigureText.gpus(group.name()), FigureText.time(group.waitS().p95())))
            .orElse("");
    long left = run.jobs() - run.states().getOrDefault("done", 0L);
    String answer =
        run.waitS().count() == 0
            ? "No job starts."
            : "Half of the jobs start within %s, and 95 %% within %s.%s%s"
                .formatted(
                    FigureText.time(run.waitS().p50()),
                    FigureText.time(run.waitS().p95()),
                    size,
                    left > 0
                        ? String.format(
                            Locale.ROOT, " %,d of %,d jobs are not done.", left, run.jobs())
                        : "");
    return new Headline(
        "",
        answer,
        List.of(
            new Figure(
                "mean wait", run.waitS().count() == 0 ? "–" : FigureText.time(run.waitS().mean())),
            new Figure(
                "of the GPUs in use",
                String.format(Locale.ROOT, "%.0f %%", 100 * run.utilisation())),
            money(run.cost(), run.costPerMonth(), run.strandedGpuHours())),
        null,
        ModelAdvice.of(run.modelUse()).stream().toList(),
        List.of(),
        List.of());
  }

  /// Returns the figure of money: the cost of a month, or stranded GPU-hours without prices.
  public static Figure money(double cost, double costPerMonth, double strandedGpuHours) {
    return cost > 0
        ? new Figure("cost per month", String.format(Locale.ROOT, "%,.0f", costPerMonth))
        : new Figure(
            "GPU-hours free while gangs waited",
            String.format(Locale.ROOT, "%,.0f", strandedGpuHours));
  }
}
