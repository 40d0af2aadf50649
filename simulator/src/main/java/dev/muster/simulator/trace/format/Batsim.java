package dev.muster.simulator.trace.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
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
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads the workloads of Batsim (Dutot et al., JSSPP 2016).
///
/// A workload is one JSON object with jobs and the profiles that they run. Only profiles of the
/// type `delay` give a run time without a model of the machines.
final class Batsim implements TraceFormat {
  /// Batsim's value for a job without a walltime.
  private static final Pattern NONE = Pattern.compile("-1(\\.0+)?");

  @Override
  public String name() {
    return "batsim";
  }

  @Override
  public boolean recognises(FileHead head) {
    return head.text().stripLeading().startsWith("{")
        && (head.text().contains("\"nb_res\"") || head.text().contains("\"subtime\""));
  }

  @Override
  public Trace open(InputFile source, TraceOptions options) {
    GangFactory gangFactory = new GangFactory(options.gpusPerWorker().orElse(1));
    try {
      Jobs jobs = new Jobs(gangFactory, profiles(source));
      try (JsonParts workload = JsonParts.of(source)) {
        workload.nextToken();
        while (!"jobs".equals(workload.nextFieldName())) {
          workload.nextToken();
          workload.pass();
        }
        workload.nextToken();
        return SortedJobs.of(new JsonRows(source, workload), jobs, options.skipBad());
      }
    } catch (JsonProcessingException bad) {
      throw JsonCells.fault(source, bad);
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }

  /// Parses the whole document and returns its profiles, which may follow the jobs.
  ///
  /// @throws MalformedFile if there is no list of jobs
  private static Map<String, InputRow> profiles(InputFile source) throws IOException {
    Map<String, InputRow> profiles = new HashMap<>();
    boolean hasJobs = false;
    try (JsonParts workload = JsonParts.of(source)) {
      if (workload.nextToken() == JsonToken.START_OBJECT) {
        for (String name = workload.nextFieldName();
            name != null;
            name = workload.nextFieldName()) {
          workload.nextToken();
          if (name.equals("jobs") && workload.isExpectedStartArrayToken()) {
            hasJobs = true;
            new JsonRows(source, workload).forEachRemaining(_ -> {});
          } else if (name.equals("profiles") && workload.isExpectedStartObjectToken()) {
            readProfiles(source, workload, profiles);
          } else {
            workload.skipChildren();
          }
        }
      }
      if (!hasJobs) {
        throw MalformedFile.ofFile(source.file(), "has no list \"jobs\".");
      }
      if (workload.nextToken() != null) {
        throw JsonRows.after(source, workload.currentTokenLocation());
      }
    }
    return profiles;
  }

  private static void readProfiles(
      InputFile source, JsonParts workload, Map<String, InputRow> profiles) throws IOException {
    for (String name = workload.nextFieldName(); name != null; name = workload.nextFieldName()) {
      workload.nextToken();
      profiles.put(name, JsonRows.row(source, workload));
    }
  }

  private record Jobs(GangFactory gangFactory, Map<String, InputRow> profiles)
      implements RowReader {
    @Override
    public Optional<TraceJob> read(InputRow row) {
      Optional<Long> walltime =
          NONE.matcher(row.text("walltime")).matches()
              ? Optional.empty()
              : row.maybeThousandfold("walltime");
      return Optional.of(
          JobDraft.of(
                  row.needed("id"),
                  row.positiveThousandfold("subtime"),
                  runMillis(row),
                  gangFactory.ofGpus(row.atLeastOne("res")))
              .running(row.needed("profile"))
              .within(walltime.map(Duration::ofMillis))
              .job());
    }

    private long runMillis(InputRow row) {
      String name = row.needed("profile");
      InputRow profile = profiles.get(name);
      if (profile == null || !profile.text("type").equals("delay")) {
        throw row.fault(
            "profile",
            "profile \"%s\" of job \"%s\" is not of the type delay, so its run time is unknown."
                .formatted(name, row.text("id")));
      }
      return profile.positiveThousandfold("delay");
    }

    @Override
    public List<String> assumptions() {
      return List.of(
          "A resource is a GPU; times are seconds; the walltime is the run-time estimate for the"
              + " scheduler.",
          gangFactory.assumption());
    }
  }
}
