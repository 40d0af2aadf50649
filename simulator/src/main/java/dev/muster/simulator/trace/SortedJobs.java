package dev.muster.simulator.trace;

import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.file.MalformedFile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads all jobs of a file into memory and sorts them by submission.
///
/// Rows may be in any order; equal times keep the order of the file.
public final class SortedJobs {
  private SortedJobs() {}

  /// Reads all rows.
  public static JobList of(Iterator<InputRow> rows, RowReader reader, boolean skipBad) {
    List<TraceJob> jobs = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    long skipped = 0;
    while (rows.hasNext()) {
      InputRow row = rows.next();
      try {
        Optional<TraceJob> job = job(row, reader, ids);
        if (job.isPresent()) {
          jobs.add(job.get());
        }
      } catch (MalformedFile bad) {
        if (!skipBad) {
          throw bad;
        }
        skipped++;
      }
    }
    return of(reader.completed(jobs), reader, skipped);
  }

  private static Optional<TraceJob> job(InputRow row, RowReader reader, Set<String> ids) {
    Optional<TraceJob> job;
    try {
      job = reader.read(row);
    } catch (IllegalArgumentException | ArithmeticException refused) {
      throw row.fault("", String.valueOf(refused.getMessage()));
    }
    if (job.isPresent() && !ids.add(job.get().id())) {
      throw row.fault("", "duplicate job \"%s\".".formatted(job.get().id()));
    }
    return job;
  }

  private static JobList of(List<TraceJob> read, RowReader reader, long skipped) {
    List<TraceJob> jobs = new ArrayList<>(read);
    List<String> assumptions = new ArrayList<>(reader.assumptions());
    if (!isSorted(jobs)) {
      jobs.sort(Comparator.comparingLong(TraceJob::submitMillis));
      assumptions.add("The rows were not in order of submission; they were sorted.");
    }
    if (!reader.isClock() || jobs.isEmpty()) {
      return new JobList(jobs, reader.start(), assumptions, skipped);
    }
    long first = jobs.getFirst().submitMillis();
    assumptions.add("Times are taken as UTC and counted from the first submission.");
    jobs.replaceAll(job -> job.earlier(first));
    return new JobList(jobs, Instant.ofEpochMilli(first), assumptions, skipped);
  }

  private static boolean isSorted(List<TraceJob> jobs) {
    for (int i = 1; i < jobs.size(); i++) {
      if (jobs.get(i - 1).submitMillis() > jobs.get(i).submitMillis()) {
        return false;
      }
    }
    return true;
  }
}
