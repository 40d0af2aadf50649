package dev.muster.simulator.trace.format;

import dev.muster.policy.yaml.FileProblem;
import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.trace.GangFactory;
import dev.muster.simulator.trace.JobDraft;
import dev.muster.simulator.trace.RowReader;
import dev.muster.simulator.trace.SortedJobs;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceFormat;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the Standard Workload Format 2.2 of the Parallel Workloads Archive (Chapin et al., 1999).
///
/// A line has 18 numbers, with -1 for unknown values. Header lines begin with `;`.
final class Swf implements TraceFormat {
  private static final Pattern LINE = Pattern.compile("\\s*[-+.0-9eE]+(?:\\s+[-+.0-9eE]+){17}\\s*");
  private static final Pattern HEADER = Pattern.compile(";\\s*(\\w+):\\s*(.*)");

  /// Statuses of a part of a job that was swapped out.
  ///
  /// They mean: to be continued, the last part, and the last part of a failed job.
  private static final Set<String> PARTS = Set.of("2", "3", "4");

  private static final String CANCELLED = "5";

  private static final List<String> FIELDS =
      List.of(
          "job number",
          "submit time",
          "wait time",
          "run time",
          "allocated processors",
          "average CPU time",
          "used memory",
          "requested processors",
          "requested time",
          "requested memory",
          "status",
          "user",
          "group",
          "executable",
          "queue",
          "partition",
          "preceding job",
          "think time");

  @Override
  public String name() {
    return "swf";
  }

  @Override
  public boolean recognises(FileHead head) {
    return head.text()
        .lines()
        .map(String::strip)
        .anyMatch(line -> HEADER.matcher(line).matches() || LINE.matcher(line).matches());
  }

  @Override
  public Trace open(InputFile source, TraceOptions options) {
    Jobs jobs = new Jobs(new GangFactory(options.gpusPerWorker().orElse(1)));
    try (BufferedReader lines = source.reader()) {
      return SortedJobs.of(new Lines(source, lines, jobs), jobs, options.skipBad());
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }

  /// The lines that are not comments.
  private static final class Lines implements Iterator<InputRow> {
    private final InputFile source;
    private final BufferedReader text;
    private final Jobs jobs;
    private int number;
    private @Nullable String line;

    Lines(InputFile source, BufferedReader text, Jobs jobs) {
      this.source = source;
      this.text = text;
      this.jobs = jobs;
    }

    @Override
    public boolean hasNext() {
      try {
        while (line == null || line.isBlank() || line.stripLeading().startsWith(";")) {
          line = text.readLine();
          if (line == null) {
            return false;
          }
          number++;
          jobs.header(line);
        }
        return true;
      } catch (IOException failed) {
        throw source.unreadable(failed);
      }
    }

    @Override
    public InputRow next() {
      String now = line;
      if (!hasNext() || now == null) {
        throw new NoSuchElementException("No more jobs.");
      }
      line = null;
      List<String> fields = List.of(now.strip().split("\\s+", -1));
      return new InputRow(source.file(), number, new Numbers(source.file(), number, now, fields));
    }
  }

  private record Numbers(String file, int number, String line, List<String> fields)
      implements InputRow.Cells {
    @Override
    public String text(String column) {
      if (fields.size() != FIELDS.size()) {
        String why =
            "the line has %d numbers instead of %d.".formatted(fields.size(), FIELDS.size());
        throw new MalformedFile(new FileProblem(file, number, 1, "", why));
      }
      return fields.get(FIELDS.indexOf(column));
    }

    @Override
    public int at(String column) {
      Matcher words = Pattern.compile("\\S+").matcher(line);
      int at = 1;
      for (int i = 0; i <= FIELDS.indexOf(column) && words.find(); i++) {
        at = words.start() + 1;
      }
      return at;
    }
  }

  private static final class Jobs implements RowReader {
    private final GangFactory gangFactory;
    private final List<String> told = new ArrayList<>();
    private Instant start = Instant.EPOCH;
    private long neverRan;
    private long parts;

    Jobs(GangFactory gangFactory) {
      this.gangFactory = gangFactory;
    }

    void header(String line) {
      Matcher header = HEADER.matcher(line.strip());
      if (!header.matches()) {
        return;
      }
      String value = header.group(2).strip();
      switch (header.group(1)) {
        case "UnixStartTime" -> {
          if (value.matches("\\d{1,11}")) {
            start = Instant.ofEpochSecond(Long.parseLong(value));
          }
        }
        case "Version", "Computer", "MaxProcs", "MaxNodes" ->
            told.add("The header says %s: %s.".formatted(header.group(1), value));
        default -> {}
      }
    }

    @Override
    public Optional<TraceJob> read(InputRow row) {
      if (PARTS.contains(row.text("status"))) {
        parts++;
        return Optional.empty();
      }
      long run = row.thousandfold("run time");
      int processors = processors(row);
      if (run < 0 || processors <= 0 || isWithdrawn(row, run)) {
        neverRan++;
        return Optional.empty();
      }
      long walltime = row.thousandfold("requested time");
      return Optional.of(
          JobDraft.of(
                  row.needed("job number"),
                  row.positiveThousandfold("submit time"),
                  run,
                  gangFactory.ofGpus(processors))
              .by(known(row, "user"))
              .in(known(row, "queue"))
              .running(known(row, "executable"))
              .within(Optional.of(Duration.ofMillis(Math.max(0, walltime))))
              .job());
    }

    /// True if the job was cancelled before it started.
    ///
    /// Some logs then have a run time of 0 and requested processors.
    private static boolean isWithdrawn(InputRow row, long run) {
      return row.text("status").equals(CANCELLED)
          && run == 0
          && orNone(row, "allocated processors") == 0;
    }

    private static int processors(InputRow row) {
      int allocated = orNone(row, "allocated processors");
      return allocated > 0 ? allocated : orNone(row, "requested processors");
    }

    private static int orNone(InputRow row, String column) {
      return row.thousandfold(column) <= 0 ? 0 : row.small(column);
    }

    private static String known(InputRow row, String column) {
      String text = row.text(column);
      return text.equals("-1") ? "" : text;
    }

    @Override
    public Instant start() {
      return start;
    }

    @Override
    public List<String> assumptions() {
      List<String> said = new ArrayList<>(told);
      said.add(
          "A processor is a GPU; allocated processors count, else requested ones; times are"
              + " seconds.");
      said.add(gangFactory.assumption());
      said.add(
          "The requested time is the run-time estimate for the scheduler; memory and think times"
              + " are not used.");
      said.add(
          "%d jobs without run time or processors were left out: they never ran."
              .formatted(neverRan));
      if (parts > 0) {
        said.add(
            "%d lines of parts of jobs (status 2 to 4) were left out: an earlier line describes the whole job."
                .formatted(parts));
      }
      return said;
    }
  }
}
