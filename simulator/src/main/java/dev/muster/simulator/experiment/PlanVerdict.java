package dev.muster.simulator.experiment;

import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.report.Headline;
import dev.muster.simulator.summary.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/// The headline of a plan: the answer with its range, and the curve of cost against wait.
final class PlanVerdict {
  private final Planned planned;
  private final Scenario scenario;
  private final boolean priced;

  private PlanVerdict(Planned planned, Scenario scenario) {
    this.planned = planned;
    this.scenario = scenario;
    this.priced = planned.found().curve().values().stream().anyMatch(run -> run.costPerMonth() > 0);
  }

  static Headline of(Planned planned, Scenario scenario) {
    return new PlanVerdict(planned, scenario).headline();
  }

  private Headline headline() {
    FleetPlan.Found found = planned.found();
    Optional<Summary> chosen =
        found.nodes().map(nodes -> Objects.requireNonNull(found.curve().get(nodes)));
    List<String> notes = new ArrayList<>();
    if (!planned.meaning().isEmpty()) {
      notes.add(planned.meaning());
    }
    List<String> assumes =
        found.curve().isEmpty() ? List.of() : found.curve().firstEntry().getValue().assumptions();
    return new Headline(
        "%s, policy %s, nodes of %s, seed %d."
            .formatted(
                Variant.last(scenario.trace().name()),
                scenario.variant().name(),
                FigureText.gpus(planned.node()),
                scenario.seed()),
        planned.answer(),
        List.of(
            new Headline.Figure("nodes", found.nodes().map(String::valueOf).orElse("–")),
            new Headline.Figure(
                planned.wanted().percentile() + " " + planned.wanted().figure(),
                chosen.map(this::figure).orElse("–")),
            chosen
                .map(run -> Headline.money(run.cost(), run.costPerMonth(), run.strandedGpuHours()))
                .orElse(new Headline.Figure("cost per month", "–"))),
        plot(),
        notes,
        assumes,
        List.of(table()));
  }

  private String figure(Summary run) {
    return planned.wanted().of(run).stream().mapToObj(this::text).findAny().orElse("–");
  }

  private String text(double figure) {
    return isTime() ? FigureText.time(figure) : String.format(Locale.ROOT, "%.2f", figure);
  }

  private boolean isTime() {
    return !planned.wanted().figure().equals("slowdown");
  }

  private Headline.Plot plot() {
    FleetPlan.Found found = planned.found();
    List<Headline.Point> points = new ArrayList<>();
    found
        .curve()
        .forEach((nodes, run) ->
            planned
                .wanted()
                .of(run)
                .ifPresent(figure ->
                    points.add(
                        new Headline.Point(
                            "" + nodes,
                            nodes,
                            figure,
                            found.nodes().filter(nodes::equals).isPresent()))));
    return new Headline.Plot(
        "nodes",
        "%s %s (log scale)".formatted(planned.wanted().percentile(), planned.wanted().figure()),
        isTime(),
        planned.wanted().limit(),
        found.band().map(band -> (double) band.low()).orElse(null),
        found.band().flatMap(PlanBand::high).map(Integer::doubleValue).orElse(null),
        points);
  }

  private Headline.Table table() {
    List<String> head =
        new ArrayList<>(
            List.of(
                "Nodes",
                "meets the goal",
                planned.wanted().percentile() + " " + planned.wanted().figure(),
                "GPUs in use",
                "drawn traces that meet it",
                "jobs not done"));
    if (priced) {
      head.addAll(List.of("cost per month", "cost of a used GPU-hour"));
    }
    List<List<String>> rows = new ArrayList<>();
    planned.found().curve().forEach((nodes, run) -> rows.add(row(nodes, run)));
    return new Headline.Table("Fleets that were tried", head, rows);
  }

  private List<String> row(int nodes, Summary run) {
    List<String> row = new ArrayList<>();
    row.add("" + nodes);
    row.add(planned.wanted().isMet(run) ? "yes" : "no");
    row.add(figure(run));
    row.add(String.format(Locale.ROOT, "%.1f %%", 100 * run.utilisation()));
    row.add(
        planned
            .found()
            .band()
            .filter(band -> band.met().containsKey(nodes))
            .map(band -> "%d of %d".formatted(band.met().getOrDefault(nodes, 0), band.draws()))
            .orElse(""));
    row.add(String.valueOf(planned.wanted().unfinished(run)));
    if (priced) {
      row.add(String.format(Locale.ROOT, "%,.0f", run.costPerMonth()));
      row.add(String.format(Locale.ROOT, "%.2f", run.costPerGpuHour()));
    }
    return row;
  }
}
