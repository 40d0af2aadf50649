package dev.muster.simulator.experiment;

import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// The difference between two runs, by the completion time of each job.
///
/// Jobs of both runs are matched by id, which is unique in a trace. Jobs that are not done in both
/// runs are counted as incomparable.
///
/// @param better jobs that are done sooner
/// @param worse jobs that are done later
/// @param incomparable jobs that are not done in at least one of the runs
/// @param changes of all jobs that are done in both, the worst first, then in order of submission
public record RunComparison(int better, int worse, int incomparable, List<Change> changes) {
  /// The difference for one job.
  ///
  /// @param millis delay of its completion in milliseconds; below 0 where it is done sooner
  public record Change(JobOutcome before, JobOutcome now, long millis) {}

  public RunComparison {
    changes = List.copyOf(changes);
  }

  /// Compares the run `now` with the run `before`.
  public static RunComparison of(RunResult before, RunResult now) {
    Map<String, JobOutcome> others = new HashMap<>();
    now.jobs().forEach(job -> others.put(job.job().id(), job));
    List<Change> changes = new ArrayList<>();
    for (JobOutcome job : before.jobs()) {
      JobOutcome other = others.get(job.job().id());
      if (other != null && job.endMillis() >= 0 && other.endMillis() >= 0) {
        long change = other.jctMillis().orElseThrow() - job.jctMillis().orElseThrow();
        changes.add(new Change(job, other, change));
      }
    }
    changes.sort(Comparator.comparingLong(Change::millis).reversed());
    int better = (int) changes.stream().filter(change -> change.millis() < 0).count();
    int worse = (int) changes.stream().filter(change -> change.millis() > 0).count();
    int jobs = Math.max(before.jobs().size(), now.jobs().size());
    return new RunComparison(better, worse, jobs - changes.size(), changes);
  }

  /// Returns the mean delay of a job's completion in milliseconds.
  ///
  /// It is absent where no job is done in both runs.
  public OptionalDouble meanMillis() {
    return changes.stream().mapToLong(Change::millis).average();
  }
}
