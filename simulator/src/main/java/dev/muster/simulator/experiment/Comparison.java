package dev.muster.simulator.experiment;

import dev.muster.simulator.run.JobOutcome;
import dev.muster.simulator.run.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// What another run changes for each job, by its completion time.
///
/// Jobs are told by their names, each of which a trace has once; those that are not done in both
/// runs are counted apart.
///
/// @param better jobs that are done sooner
/// @param worse jobs that are done later
/// @param incomparable jobs that are not done in one of the runs
/// @param changes of all jobs that are done in both, the worst first, then in order of submission
public record Comparison(int better, int worse, int incomparable, List<Change> changes) {
  /// What it is for one job.
  ///
  /// @param millis by how much later it is done; below 0 sooner
  public record Change(JobOutcome before, JobOutcome now, long millis) {}

  public Comparison {
    changes = List.copyOf(changes);
  }

  /// What the run `now` changes against `before`.
  public static Comparison of(RunResult before, RunResult now) {
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
    return new Comparison(better, worse, jobs - changes.size(), changes);
  }

  /// By how much later a job is done on average, in milliseconds; absent where none is done in
  /// both.
  public OptionalDouble meanMillis() {
    return changes.stream().mapToLong(Change::millis).average();
  }
}
