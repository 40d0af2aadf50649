package dev.muster.simulator.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.policy.yaml.FileProblem;
import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.file.JsonCells;
import dev.muster.simulator.file.MalformedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Reads and writes exported nodes of a live cluster (`muster-fleet/v1`).
///
/// The form is JSON Lines: a header with the topology levels, then one node per line.
public final class FleetLines {
  private static final String VERSION = "muster-fleet/v1";
  private static final JsonMapper JSON = JsonCells.STRICT;

  private FleetLines() {}

  /// True if a file with this beginning is a fleet in this format.
  static boolean recognises(FileHead head) {
    return head.firstLine().startsWith("{") && head.firstLine().contains("\"muster-fleet/");
  }

  /// Writes a fleet without temporary state: neither health conditions nor free GPUs are written.
  public static void write(Fleet fleet, Writer out) throws IOException {
    ObjectNode header = JSON.createObjectNode().put("format", VERSION);
    ArrayNode levels = header.putArray("levels");
    for (TopologyLevel level : fleet.topology().levels()) {
      levels.addObject().put("name", level.name()).put("label", level.label());
    }
    out.write(JSON.writeValueAsString(header) + "\n");
    for (Node node : fleet.nodes()) {
      out.write(JSON.writeValueAsString(line(node)) + "\n");
    }
  }

  private static ObjectNode line(Node node) {
    ObjectNode line = JSON.createObjectNode().put("name", node.id().name());
    line.put("gpus", node.gpus());
    if (!node.model().equals(GpuModel.UNKNOWN)) {
      GpuModel model = node.model();
      line.put("model", model.name()).put("model_kind", model.kind().name());
      line.put("gpu_memory_mib", model.memoryMib());
    }
    ObjectNode amounts = line.putObject("allocatable");
    node.allocatable().asMap().forEach(amounts::put);
    ObjectNode labels = line.putObject("labels");
    node.labels().forEach(labels::put);
    if (!node.taints().isEmpty()) {
      ArrayNode taints = line.putArray("taints");
      for (Taint taint : node.taints()) {
        taints
            .addObject()
            .put("key", taint.key())
            .put("value", taint.value())
            .put("effect", taint.effect().name());
      }
    }
    if (node.cordoned()) {
      line.put("cordoned", true);
    }
    return line;
  }

  static Fleet read(InputFile source) {
    try (BufferedReader lines = source.reader()) {
      String first = lines.readLine();
      JsonNode header = JsonCells.parse(source, 1, first == null ? "" : first);
      if (!header.path("format").asText().equals(VERSION)) {
        throw at(source, 1, "the format is not %s.".formatted(VERSION));
      }
      Topology topology = topology(source, header);
      List<Node> nodes = new ArrayList<>();
      int number = 2;
      for (String line = lines.readLine(); line != null; line = lines.readLine(), number++) {
        if (!line.isBlank()) {
          if (nodes.size() == FleetNotation.MOST_NODES) {
            throw at(source, number, NodeTable.TOO_MANY);
          }
          nodes.add(node(source, number, line));
        }
      }
      return new Fleet(source.file(), nodes, topology, List.of());
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }

  private static Topology topology(InputFile source, JsonNode header) {
    try {
      List<TopologyLevel> levels = new ArrayList<>();
      for (JsonNode level : header.path("levels")) {
        levels.add(new TopologyLevel(level.path("name").asText(), level.path("label").asText()));
      }
      return new Topology(levels);
    } catch (IllegalArgumentException refused) {
      throw at(source, 1, String.valueOf(refused.getMessage()));
    }
  }

  private static Node node(InputFile source, int number, String text) {
    JsonNode line = JsonCells.parse(source, number, text);
    InputRow row = new InputRow(source.file(), number, new JsonCells(line, text));
    try {
      SortedMap<String, String> labels = new TreeMap<>();
      line.path("labels").properties().forEach(l -> labels.put(l.getKey(), l.getValue().asText()));
      SortedMap<String, Long> amounts = new TreeMap<>();
      line.path("allocatable")
          .properties()
          .forEach(each -> amounts.put(each.getKey(), amount(each.getKey(), each.getValue())));
      return new Node(
          new NodeId(row.needed("name")),
          labels,
          Resources.of(amounts),
          row.small("gpus", FleetNotation.MOST_GPUS),
          model(line),
          taints(line),
          line.path("cordoned").asBoolean(),
          List.of());
    } catch (IllegalArgumentException refused) {
      throw at(source, number, String.valueOf(refused.getMessage()));
    }
  }

  private static long amount(String resource, JsonNode value) {
    if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < 0) {
      throw new IllegalArgumentException(
          "allocatable: %s: %s is not a whole number of 0 or more (cores in thousandths, sizes in bytes)."
              .formatted(resource, value));
    }
    return value.asLong();
  }

  private static GpuModel model(JsonNode line) {
    return line.has("model")
        ? new GpuModel(
            line.path("model").asText(),
            known("model_kind", GpuModel.Kind.class, line.path("model_kind").asText("WHOLE")),
            line.path("gpu_memory_mib").asLong(),
            "")
        : GpuModel.UNKNOWN;
  }

  private static List<Taint> taints(JsonNode line) {
    List<Taint> taints = new ArrayList<>();
    for (JsonNode taint : line.path("taints")) {
      taints.add(
          new Taint(
              taint.path("key").asText(),
              taint.path("value").asText(),
              known("taint effect", Taint.Effect.class, taint.path("effect").asText())));
    }
    return taints;
  }

  private static <E extends Enum<E>> E known(String what, Class<E> kind, String name) {
    return Arrays.stream(kind.getEnumConstants())
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "unknown %s \"%s\"; known: %s."
                    .formatted(what, name, List.of(kind.getEnumConstants()))));
  }

  private static MalformedFile at(InputFile source, int line, String message) {
    return new MalformedFile(new FileProblem(source.file(), line, 1, "", message));
  }
}
