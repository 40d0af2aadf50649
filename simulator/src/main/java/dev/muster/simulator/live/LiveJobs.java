package dev.muster.simulator.live;

import dev.muster.core.gang.GangSpec;
import dev.muster.policy.file.Durations;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// The jobs of a live cluster as a trace in Muster's own format.
///
/// Unknown values are estimated, and the trace says how often. For example, a waiting or running
/// job has no run time yet.
///
/// @param start time of the first submission, from which times count
/// @param jobs the jobs, in order of submission
/// @param latency median time of the control plane from a decision until the pods are bound; absent
///   without a journal
/// @param notes estimates and omissions, one sentence each
public record LiveJobs(
    Instant start, List<Job> jobs, Optional<Duration> latency, List<String> notes) {
  /// The run time of a job without any other estimate.
  private static final Duration UNKNOWN = Duration.ofHours(1);

  /// A job with its measured start and end.
  ///
  /// @param job the job; its run time is its total real run time, as far as known
  /// @param started first start, in milliseconds since the start of the trace
  /// @param ended end, in milliseconds since the start of the trace
  public record Job(TraceJob job, Optional<Long> started, Optional<Long> ended) {}

  /// Returns the jobs of a history, named `namespace/name`; gangs without pods are left out.
  ///
  /// Later gangs of one name are named `namespace/name#2` and so on.
  public static LiveJobs of(JobHistory history) {
    List<GangHistory> lives =
        history.lives().stream().filter(life -> life.request().isPresent()).toList();
    List<GangHistory> kept =
        lives.stream()
            .filter(life -> !life.isWithdrawn())
            .sorted(Comparator.comparing(GangHistory::submitted))
            .toList();
    Instant start = kept.isEmpty() ? history.last() : kept.getFirst().submitted();
    Guess guess = new Guess(kept, history.last());
    Map<String, Integer> names = new HashMap<>();
    List<Job> jobs = new ArrayList<>();
    for (GangHistory life : kept) {
      int times = names.merge(life.id.toString(), 1, Integer::sum);
      String id = life.id + (times == 1 ? "" : "#" + times);
      jobs.add(job(id, life, start, guess));
    }
    List<String> notes = notes(lives, kept, guess);
    history
        .latency()
        .map(Durations::print)
        .ifPresent(time ->
            notes.add(
                "From the decision to start a gang until its pods were bound it took %s (median): --latency %s simulates that."
                    .formatted(time, time)));
    return new LiveJobs(start, jobs, history.latency(), notes);
  }

  private static Job job(String id, GangHistory history, Instant start, Guess guess) {
    Optional<GangSpec> spec = history.spec();
    TraceJob job =
        new TraceJob(
            id,
            history.id.namespace(),
            spec.map(GangSpec::queue).orElse(history.id.namespace()),
            Duration.between(start, history.submitted()).toMillis(),
            guess.runtime(history).toMillis(),
            history.workers(),
            history.minWorkers(),
            history.request().orElseThrow(),
            history.wishes(),
            history.priority(),
            spec.map(GangSpec::lineage).orElse(""));
    return new Job(job, millis(start, history.started()), millis(start, history.ended()));
  }

  private static Optional<Long> millis(Instant start, Optional<Instant> at) {
    return at.map(instant -> Duration.between(start, instant).toMillis());
  }

  private static List<String> notes(List<GangHistory> lives, List<GangHistory> kept, Guess guess) {
    List<String> notes = new ArrayList<>();
    notes.add("%d jobs of a live cluster, as of %s.".formatted(kept.size(), guess.now));
    count(
        notes,
        kept,
        guess::isGuessed,
        "%d were not over: their run time is the owner's estimate, else the median of runs with an equal lineage, else the median of all, else an hour, and at least the time run so far.");
    count(
        notes,
        kept,
        GangHistory::isMixed,
        "%d have members with different requests: only those with the most frequent request are included, of members with GPUs where there are any.");
    count(
        notes,
        lives,
        GangHistory::isWithdrawn,
        "%d were withdrawn before they started and are left out.");
    return notes;
  }

  private static void count(
      List<String> notes, List<GangHistory> lives, Predicate<GangHistory> which, String note) {
    long count = lives.stream().filter(which).count();
    if (count > 0) {
      notes.add(note.formatted(count));
    }
  }

  /// Writes the trace, with the measured starts and ends.
  ///
  /// @throws IOException if it cannot be written
  public void write(Path file) throws IOException {
    try (TraceWriter out = new TraceWriter(file, start, notes)) {
      for (Job job : jobs) {
        out.write(job.job(), job.started(), job.ended());
      }
    }
  }

  /// Estimates run times of jobs that are not over.
  private static final class Guess {
    private final Instant now;
    private final Map<String, List<Duration>> byWork = new HashMap<>();
    private final List<Duration> all = new ArrayList<>();

    Guess(List<GangHistory> lives, Instant now) {
      this.now = now;
      for (GangHistory history : lives) {
        if (!isGuessed(history)) {
          all.add(history.ranUntil(now));
          history
              .spec()
              .map(GangSpec::lineage)
              .filter(work -> !work.isEmpty())
              .ifPresent(work ->
                  byWork.computeIfAbsent(work, _ -> new ArrayList<>()).add(history.ranUntil(now)));
        }
      }
    }

    boolean isGuessed(GangHistory history) {
      return history.ended().isEmpty();
    }

    Duration runtime(GangHistory history) {
      Duration ran = history.ranUntil(now);
      if (!isGuessed(history)) {
        return ran;
      }
      Duration expected =
          history
              .wishes()
              .runtime()
              .or(() -> ofWork(history))
              .or(() -> median(all))
              .orElse(UNKNOWN);
      return expected.compareTo(ran) > 0 ? expected : ran;
    }

    private Optional<Duration> ofWork(GangHistory history) {
      return history.spec().map(GangSpec::lineage).map(byWork::get).flatMap(Guess::median);
    }

    private static Optional<Duration> median(List<Duration> times) {
      return times.stream().sorted().skip(times.size() / 2).findFirst();
    }
  }
}
