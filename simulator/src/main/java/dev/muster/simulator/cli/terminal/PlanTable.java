package dev.muster.simulator.cli.terminal;

import dev.muster.simulator.experiment.PlanBand;
import dev.muster.simulator.experiment.PlanGoal;
import dev.muster.simulator.experiment.Planned;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.summary.Summary;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/// The answer of a plan, and the figures of the numbers of nodes that were tried.
public final class PlanTable {
  private final Planned planned;
  private final StringBuilder text = new StringBuilder();

  private PlanTable(Planned planned) {
    this.planned = planned;
  }

  /// Returns the answer and the table.
  public static String of(Planned planned) {
    return new PlanTable(planned).table();
  }

  private String table() {
    PlanGoal wanted = planned.wanted();
    text.append(planned.answer()).append('\n');
    if (!planned.meaning().isEmpty()) {
      text.append(planned.meaning()).append('\n');
    }
    boolean unfinished = any(run -> wanted.unfinished(run) > 0);
    boolean priced = any(run -> run.cost() > 0);
    text.append(
        String.format(
            Locale.ROOT,
            "%n%8s %8s %12s %12s%s%s%s%n",
            "nodes",
            "meets",
            wanted.percentile() + " " + wanted.figure(),
            "utilisation",
            planned.found().band().isPresent() ? "  draws that meet" : "",
            unfinished ? "   unfinished" : "",
            priced ? "   cost/month  per GPU-hour" : ""));
    planned
        .found()
        .curve()
        .forEach((nodes, run) -> {
          text.append(row(nodes, run, wanted));
          planned.found().band().ifPresent(band -> text.append(draws(band, nodes)));
          if (unfinished) {
            text.append(String.format(Locale.ROOT, "%13d", wanted.unfinished(run)));
          }
          if (priced) {
            text.append(
                String.format(
                    Locale.ROOT, "%,13.0f%14.2f", run.costPerMonth(), run.costPerGpuHour()));
          }
          text.append('\n');
        });
    return text.toString();
  }

  private static String draws(PlanBand band, int nodes) {
    return String.format(
        Locale.ROOT,
        "%17s",
        Optional.ofNullable(band.met().get(nodes))
            .map(met -> "%d of %d".formatted(met, band.draws()))
            .orElse(""));
  }

  private boolean any(Predicate<Summary> is) {
    return planned.found().curve().values().stream().anyMatch(is);
  }

  /// Returns the first columns of a row.
  static String row(int nodes, Summary run, PlanGoal wanted) {
    String shown =
        wanted.of(run).stream().mapToObj(figure -> shown(figure, wanted)).findAny().orElse("-");
    return String.format(
        Locale.ROOT,
        "%8d %8s %12s %11.1f%%",
        nodes,
        wanted.isMet(run) ? "yes" : "no",
        shown,
        100 * run.utilisation());
  }

  private static String shown(double figure, PlanGoal wanted) {
    return wanted.figure().equals("slowdown")
        ? String.format(Locale.ROOT, "%.2f", figure)
        : FigureText.time(figure);
  }
}
