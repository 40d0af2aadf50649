package dev.muster.simulator.trace.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.file.JsonCells;
import dev.muster.simulator.file.JsonParts;
import dev.muster.simulator.file.JsonRows;
import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.trace.GangFactory;
import dev.muster.simulator.trace.JobDraft;
import dev.muster.simulator.trace.RowReader;
import dev.muster.simulator.trace.SortedJobs;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceFormat;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Reads Microsoft's Philly jobs (2017, Jeon et al., USENIX ATC'19) as published.
///
/// The file is a JSON list of jobs with their attempts, each with its machines and GPUs.
final class PhillyAttempts implements TraceFormat {
  @Override
  public String name() {
    return "philly-json";
  }

  @Override
  public boolean recognises(FileHead head) {
    return head.text().stripLeading().startsWith("[")
        && head.text().contains("\"attempts\"")
        && head.text().contains("\"submitted_time\"");
  }

  @Override
  public Trace open(InputFile source, TraceOptions options) {
    Jobs jobs = new Jobs(new GangFactory(options.gpusPerWorker().orElse(8)));
    try (JsonParts list = JsonParts.of(source)) {
      if (list.nextToken() != JsonToken.START_ARRAY) {
        throw MalformedFile.ofFile(source.file(), "is not a JSON list.");
      }
      Trace trace = SortedJobs.of(new JsonRows(source, list), jobs, options.skipBad());
      if (list.nextToken() != null) {
        throw JsonRows.after(source, list.currentTokenLocation());
      }
      return trace;
    } catch (JsonProcessingException bad) {
      throw JsonCells.fault(source, bad);
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }

  private static final class Jobs implements RowReader {
    private final GangFactory gangFactory;
    private long neverRan;

    Jobs(GangFactory gangFactory) {
      this.gangFactory = gangFactory;
    }

    @Override
    public Optional<TraceJob> read(InputRow row) {
      long run = 0;
      int gpus = 0;
      boolean ran = false;
      for (JsonNode attempt : attempts(row)) {
        InputRow part = new InputRow(row.file(), row.line(), new JsonCells(attempt, ""));
        Optional<Long> start = part.clock("start_time");
        Optional<Long> end = part.clock("end_time");
        if (start.isPresent() && end.isPresent()) {
          if (end.get() < start.get()) {
            throw row.fault(
                "attempts",
                "an attempt ends at %s, before its start at %s."
                    .formatted(part.text("end_time"), part.text("start_time")));
          }
          run += end.get() - start.get();
          gpus = Math.max(gpus, gpus(attempt));
          ran = true;
        }
      }
      if (!ran || gpus == 0) {
        neverRan++;
        return Optional.empty();
      }
      return Optional.of(
          JobDraft.of(
                  row.needed("jobid"),
                  row.neededClock("submitted_time"),
                  run,
                  gangFactory.ofGpus(gpus))
              .by(row.text("user"))
              .in(row.text("vc"))
              .job());
    }

    private static JsonNode attempts(InputRow row) {
      if (row.cells() instanceof JsonCells(JsonNode job, String _) && job.isObject()) {
        return job.path("attempts");
      }
      throw row.fault("attempts", "is missing.");
    }

    private static int gpus(JsonNode attempt) {
      int gpus = 0;
      for (JsonNode machine : attempt.path("detail")) {
        gpus += machine.path("gpus").size();
      }
      return gpus;
    }

    @Override
    public boolean isClock() {
      return true;
    }

    @Override
    public List<String> assumptions() {
      return List.of(
          "The run time of a job is the sum of its attempts with a start and an end; %d jobs without any were left out."
              .formatted(neverRan),
          "The virtual cluster is the queue; a job has the GPUs of its largest attempt, on any"
              + " nodes.",
          gangFactory.assumption());
    }
  }
}
