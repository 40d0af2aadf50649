package dev.muster.simulator.report;

import dev.muster.simulator.file.AtomicFiles;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Distribution;
import dev.muster.simulator.summary.JobGroup;
import dev.muster.simulator.summary.SizeClass;
import dev.muster.simulator.summary.SummaryCalculation;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// A page for each queue with its own figures and jobs only, to be given to its team.
public final class TeamPages {
  private static final int LONGEST = 20;

  private TeamPages() {}

  /// Writes the page of each named queue as `team-NAME.html`.
  ///
  /// @return the names of the files
  public static List<String> write(RunResult run, Path folder) throws IOException {
    Map<String, String> pages = new LinkedHashMap<>();
    SummaryCalculation.byName(run.jobs(), job -> job.job().queue())
        .forEach((queue, jobs) -> {
          if (!queue.isEmpty()) {
            pages.put(file(queue, pages), HtmlReport.page(List.of(), headline(run, queue, jobs)));
          }
        });
    List<String> names = List.copyOf(pages.keySet());
    AtomicFiles.write(
        folder,
        names,
        half -> {
          for (Map.Entry<String, String> page : pages.entrySet()) {
            Files.writeString(half.resolve(page.getKey()), page.getValue());
          }
        });
    return names;
  }

  /// Returns a file name without characters that a system may refuse.
  private static String file(String queue, Map<String, String> taken) {
    String plain = "team-" + queue.replaceAll("[^A-Za-z0-9._-]", "_");
    String name = plain + ".html";
    for (int i = 2; taken.containsKey(name); i++) {
      name = plain + "-" + i + ".html";
    }
    return name;
  }

  private static Headline headline(RunResult run, String queue, List<JobOutcome> jobs) {
    JobGroup team = JobGroup.of(queue, jobs);
    long left = team.jobs() - team.done();
    String answer =
        team.waitS().count() == 0
            ? "No job of %s starts.".formatted(queue)
            : "Half of the jobs of %s start within %s, and 95 %% within %s.%s"
                .formatted(
                    queue,
                    FigureText.time(team.waitS().p50()),
                    FigureText.time(team.waitS().p95()),
                    left > 0
                        ? String.format(Locale.ROOT, " %,d of %,d are not done.", left, team.jobs())
                        : "");
    return new Headline(
        String.format(
            Locale.ROOT,
            "Queue %s: %,d jobs under the policy %s, seed %d.",
            queue,
            team.jobs(),
            run.setup().policy(),
            run.setup().seed()),
        answer,
        List.of(
            new Headline.Figure("mean wait", time(team.waitS(), team.waitS().mean())),
            new Headline.Figure("mean completion time", time(team.jctS(), team.jctS().mean())),
            new Headline.Figure(
                "GPU-hours used", String.format(Locale.ROOT, "%,.0f", team.gpuHours()))),
        null,
        List.of(),
        run.setup().assumptions(),
        List.of(sizes(jobs), longest(jobs)));
  }

  private static Headline.Table sizes(List<JobOutcome> jobs) {
    TreeMap<Long, List<JobOutcome>> sizes = new TreeMap<>();
    jobs.forEach(job ->
        sizes.computeIfAbsent(SizeClass.of(job.job().gpuMilli()), _ -> new ArrayList<>()).add(job));
    List<List<String>> rows = new ArrayList<>();
    sizes.forEach((size, some) -> {
      JobGroup group = JobGroup.of(SizeClass.name(size), some);
      rows.add(
          List.of(
              group.name(),
              String.format(Locale.ROOT, "%,d", group.jobs()),
              String.format(Locale.ROOT, "%,.0f", group.gpuHours()),
              time(group.waitS(), group.waitS().mean()),
              time(group.waitS(), group.waitS().p95()),
              time(group.jctS(), group.jctS().mean()),
              String.valueOf(group.preemptions())));
    });
    return new Headline.Table(
        "By size",
        List.of("GPUs", "jobs", "GPU-hours", "wait mean", "wait p95", "completion mean", "stops"),
        rows);
  }

  private static Headline.Table longest(List<JobOutcome> jobs) {
    List<List<String>> rows =
        jobs.stream()
            .filter(job -> job.waitMillis().orElse(0) > 0)
            .sorted(Comparator.<JobOutcome>comparingLong(job -> -job.waitMillis().orElse(0)))
            .limit(LONGEST)
            .map(job ->
                List.of(
                    job.job().id(),
                    job.job().user().isEmpty() ? "–" : job.job().user(),
                    BigDecimal.valueOf(job.job().gpuMilli(), 3)
                        .stripTrailingZeros()
                        .toPlainString(),
                    FigureText.time(job.waitMillis().orElse(0) / 1000.0)))
            .toList();
    return new Headline.Table(
        "Jobs that waited longest", List.of("Job", "user", "GPUs", "wait"), rows);
  }

  private static String time(Distribution stats, double seconds) {
    return stats.count() == 0 ? "–" : FigureText.time(seconds);
  }
}
