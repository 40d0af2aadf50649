package dev.muster.simulator.summary;

import dev.muster.core.decision.ReasonText;
import dev.muster.simulator.run.JobProgress;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The warnings of a run: jobs that were given up, rejected, or never started, with the reasons.
final class RunWarnings {
  private static final int MOST_NAMED = 5;

  private RunWarnings() {}

  /// Returns the warnings; empty if every job is done or still runs.
  static List<String> of(RunResult run) {
    List<String> warnings = new ArrayList<>();
    List<String> given =
        run.jobs().stream()
            .filter(job -> job.state() == JobOutcome.State.UNFINISHED)
            .map(job -> job.job().id())
            .toList();
    if (!given.isEmpty()) {
      warnings.add(unfinished(given));
    }
    reasons(run, JobOutcome.State.REJECTED, "rejected").ifPresent(warnings::add);
    reasons(run, JobOutcome.State.WAITING, "still waiting").ifPresent(warnings::add);
    return warnings;
  }

  /// Lists the reasons of jobs in a state, the most frequent first, each with its first job.
  private static Optional<String> reasons(RunResult run, JobOutcome.State state, String words) {
    Map<String, List<JobOutcome>> byToken = new TreeMap<>();
    for (JobOutcome job : run.jobs()) {
      if (job.state() == state && job.why().isPresent()) {
        byToken.computeIfAbsent(ReasonText.token(job.why().get()), _ -> new ArrayList<>()).add(job);
      }
    }
    long jobs = byToken.values().stream().mapToLong(List::size).sum();
    return jobs == 0
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "%,d %s: %s.",
                jobs,
                words,
                byToken.entrySet().stream()
                    .sorted(Comparator.comparingInt(each -> -each.getValue().size()))
                    .map(each -> reason(each.getKey(), each.getValue()))
                    .collect(Collectors.joining(", "))));
  }

  private static String reason(String token, List<JobOutcome> jobs) {
    JobOutcome first = jobs.getFirst();
    String sentence = first.why().map(ReasonText::sentence).orElse("");
    return String.format(
        Locale.ROOT,
        "%,d %s (%s: %s)",
        jobs.size(),
        token,
        first.job().id(),
        sentence.substring(0, sentence.length() - 1));
  }

  private static String unfinished(List<String> given) {
    String more =
        given.size() > MOST_NAMED
            ? String.format(Locale.ROOT, " and %,d more", given.size() - MOST_NAMED)
            : "";
    return String.format(
        Locale.ROOT,
        "%,d unfinished: given up after %,d node failures in a row without progress: %s%s. A job on n"
            + " nodes fails n times as often as a single node. More frequent checkpoints"
            + " (--checkpoint), shorter restarts (--restart) or rarer node failures (--mtbf) may let"
            + " such jobs finish.",
        given.size(),
        JobProgress.MOST_FAILURES,
        String.join(", ", given.subList(0, Math.min(MOST_NAMED, given.size()))),
        more);
  }
}
