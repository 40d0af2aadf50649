package dev.muster.simulator.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.policy.file.NearestWord;
import dev.muster.simulator.file.InputRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Reads and writes the job lines of Muster's own traces.
///
/// Missing fields have the value that is usual for jobs.
final class JobJson {
  /// The measured start and end of a job that really ran, for comparisons; the simulation ignores
  /// them.
  static final List<String> MEASURED = List.of("started_ms", "ended_ms");

  private static final List<String> OWN =
      List.of(
          "id",
          "user",
          "queue",
          "project",
          "submit_ms",
          "run_ms",
          "restart_ms",
          "workers",
          "min_workers",
          "gpus",
          "gpu_milli",
          "gpu_resource",
          "resources",
          "one_per_node",
          "models",
          "mixed",
          "required_level",
          "preferred_level",
          "walltime_ms",
          "priority",
          "lineage");

  /// All permitted fields of a line.
  static final List<String> FIELDS =
      Stream.of(OWN, NodeSelectionJson.FIELDS, MEASURED).flatMap(List::stream).toList();

  // Equal parts become one object, so that a million jobs fit in memory.
  private final Map<Request, Request> requests = new HashMap<>();
  private final Map<GangConstraints, GangConstraints> constraints = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();

  TraceJob job(InputRow row, JsonNode line) {
    checkFields(row, line);
    MEASURED.stream().filter(line::has).forEach(row::count);
    int workers = line.has("workers") ? row.atLeastOne("workers") : 1;
    int least = line.has("min_workers") ? row.atLeastOne("min_workers") : workers;
    if (least > workers) {
      throw row.fault("min_workers", "%d exceeds workers (%d).".formatted(least, workers));
    }
    try {
      Request request = request(row, line);
      GangConstraints wished = wishes(row, line);
      return new TraceJob(
          row.needed("id"),
          one(row.text("user")),
          one(row.text("queue")),
          row.count("submit_ms"),
          row.count("run_ms"),
          workers,
          least,
          requests.computeIfAbsent(request, same -> same),
          constraints.computeIfAbsent(wished, same -> same),
          line.path("priority").asInt(),
          one(row.text("lineage")),
          one(row.text("project")),
          line.has("restart_ms") ? OptionalLong.of(row.count("restart_ms")) : OptionalLong.empty());
    } catch (IllegalArgumentException refused) {
      throw row.fault("", String.valueOf(refused.getMessage()));
    }
  }

  private String one(String name) {
    return names.computeIfAbsent(name, same -> same);
  }

  private static void checkFields(InputRow row, JsonNode line) {
    for (var names = line.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!FIELDS.contains(name)) {
        throw row.fault(
            name,
            "unknown field.%s"
                .formatted(
                    NearestWord.to(name, FIELDS)
                        .map(" Did you mean %s?"::formatted)
                        .orElse(" Known: %s.".formatted(FIELDS))));
      }
      FieldKind.check(row, name, line.get(name));
    }
  }

  private static Request request(InputRow row, JsonNode line) {
    int gpus = line.has("gpus") ? row.small("gpus") : 0;
    int milli = line.has("gpu_milli") ? row.small("gpu_milli") : 0;
    Map<String, Long> amounts = new TreeMap<>();
    for (var amount : line.path("resources").properties()) {
      if (!amount.getValue().canConvertToLong() || amount.getValue().asLong() < 0) {
        throw row.fault(
            "resources",
            "%s: %s is not a whole number of 0 or more (cores in thousandths, sizes in bytes)."
                .formatted(amount.getKey(), amount.getValue()));
      }
      amounts.put(amount.getKey(), amount.getValue().asLong());
    }
    String counted = line.path("gpu_resource").asText(GangFactory.GPU);
    if (!counted.isEmpty()) {
      amounts.put(counted, (long) gpus);
    }
    amounts.put(Resources.PODS, 1L);
    return new Request(
        Resources.of(amounts),
        gpus,
        milli,
        NodeSelectionJson.read(row, line),
        line.path("one_per_node").asBoolean());
  }

  private static GangConstraints wishes(InputRow row, JsonNode line) {
    List<String> models = new ArrayList<>();
    for (JsonNode model : line.path("models")) {
      if (!model.isTextual()) {
        throw row.fault("models", "%s is not a model name.".formatted(model));
      }
      models.add(model.asText());
    }
    TopologyConstraint near =
        TopologyConstraint.of(level(row, "required_level"), level(row, "preferred_level"));
    Optional<Duration> walltime =
        line.has("walltime_ms")
            ? Optional.of(Duration.ofMillis(row.count("walltime_ms")))
            : Optional.empty();
    return new GangConstraints(
        near, new GpuModelPreference(models, line.path("mixed").asBoolean()), walltime);
  }

  private static Optional<String> level(InputRow row, String field) {
    return Optional.of(row.text(field)).filter(name -> !name.isEmpty());
  }

  /// Returns the line that [#job] reads back as an equal job.
  static ObjectNode line(TraceJob job) {
    ObjectNode line = MusterTrace.JSON.createObjectNode();
    line.put("id", job.id());
    put(line, "user", job.user());
    put(line, "queue", job.queue());
    put(line, "project", job.project());
    line.put("submit_ms", job.submitMillis()).put("run_ms", job.runMillis());
    job.restartMillis().ifPresent(millis -> line.put("restart_ms", millis));
    line.put("workers", job.workers());
    if (job.minWorkers() != job.workers()) {
      line.put("min_workers", job.minWorkers());
    }
    putRequest(line, job.request());
    putWishes(line, job.constraints());
    if (job.priority() != 0) {
      line.put("priority", job.priority());
    }
    put(line, "lineage", job.lineage());
    return line;
  }

  private static void putRequest(ObjectNode line, Request request) {
    line.put("gpus", request.gpus());
    if (request.gpuMilli() > 0) {
      line.put("gpu_milli", request.gpuMilli());
    }
    Map<String, Long> amounts = request.resources().asMap();
    amounts.remove(Resources.PODS);
    if (!amounts.remove(GangFactory.GPU, (long) request.gpus()) && request.gpus() > 0) {
      line.put("gpu_resource", ""); // already listed among the resources
    }
    if (!amounts.isEmpty()) {
      ObjectNode resources = line.putObject("resources");
      amounts.forEach(resources::put);
    }
    NodeSelectionJson.write(line, request.selection());
    if (request.onePerNode()) {
      line.put("one_per_node", true);
    }
  }

  private static void putWishes(ObjectNode line, GangConstraints constraints) {
    if (!constraints.gpus().models().isEmpty()) {
      ArrayNode models = line.putArray("models");
      constraints.gpus().models().forEach(models::add);
    }
    if (constraints.gpus().mixed()) {
      line.put("mixed", true);
    }
    constraints.topology().required().ifPresent(level -> line.put("required_level", level));
    constraints.topology().preferred().ifPresent(level -> line.put("preferred_level", level));
    constraints.runtime().ifPresent(limit -> line.put("walltime_ms", limit.toMillis()));
  }

  private static void put(ObjectNode line, String field, String text) {
    if (!text.isEmpty()) {
      line.put(field, text);
    }
  }
}
