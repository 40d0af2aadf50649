package dev.muster.simulator.trace.format;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.file.JsonCells;
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
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
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
  private static final JsonMapper JSON = JsonCells.STRICT;

  private static final JsonPointer JOBS = JsonPointer.empty().appendProperty("jobs");
  private static final JsonPointer PROFILES = JsonPointer.empty().appendProperty("profiles");

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
    try (InputStream in = source.stream()) {
      JsonNode workload = JSON.readTree(in);
      if (!workload.path("jobs").isArray()) {
        throw MalformedFile.ofFile(source.file(), "has no list \"jobs\".");
      }
      GangFactory gangFactory = new GangFactory(options.gpusPerWorker().orElse(1));
      Map<JsonPointer, Integer> lines = lines(source);
      Jobs jobs = new Jobs(gangFactory, workload.path("profiles"), lines);
      List<InputRow> rows = new ArrayList<>();
      for (JsonNode job : workload.path("jobs")) {
        JsonPointer place = JOBS.appendIndex(rows.size());
        rows.add(new InputRow(source.file(), line(lines, place), new JsonCells(job, "")));
      }
      return SortedJobs.of(rows.iterator(), jobs, options.skipBad());
    } catch (JsonProcessingException bad) {
      throw JsonCells.fault(source, bad);
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }

  /// Returns the lines in which objects begin, since the tree does not keep them.
  private static Map<JsonPointer, Integer> lines(InputFile source) throws IOException {
    Map<JsonPointer, Integer> lines = new HashMap<>();
    try (InputStream in = source.stream();
        JsonParser parser = JSON.createParser(in)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.START_OBJECT) {
          JsonPointer place = parser.getParsingContext().pathAsPointer();
          lines.put(place, parser.currentTokenLocation().getLineNr());
        }
      }
    }
    return lines;
  }

  private static int line(Map<JsonPointer, Integer> lines, JsonPointer place) {
    return lines.getOrDefault(place, 1);
  }

  private record Jobs(GangFactory gangFactory, JsonNode profiles, Map<JsonPointer, Integer> lines)
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
      JsonNode profile = profiles.path(name);
      if (!profile.path("type").asText().equals("delay")) {
        throw row.fault(
            "profile",
            "profile \"%s\" of job \"%s\" is not of the type delay, so its run time is unknown."
                .formatted(name, row.text("id")));
      }
      int line = line(lines, PROFILES.appendProperty(name));
      return new InputRow(row.file(), line, new JsonCells(profile, ""))
          .positiveThousandfold("delay");
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
