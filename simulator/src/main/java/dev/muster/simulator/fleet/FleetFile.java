package dev.muster.simulator.fleet;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Node;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.core.topology.TopologyPreset;
import dev.muster.policy.file.FileKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A fleet as planners write it in YAML.
///
/// @param preset the name of a known fabric; empty when levels are listed or there are none
/// @param levels the levels of the fabric, outermost first
/// @param pools groups of nodes that are alike
record FleetFile(String preset, List<TopologyLevel> levels, List<Pool> pools) {
  static final FileKind<FleetFile> KIND =
      FileKind.of(
              new FileKind.Header("simulator.muster.dev/v1", "Fleet"),
              FleetFile.class,
              "fleet-v1.schema.json",
              Map.of("muster-amount", Amounts::check))
          .agreeing(FleetFile::faults);

  /// Nodes that are alike.
  ///
  /// @param name the beginning of the names of its nodes
  /// @param count how many there are
  /// @param gpus how many GPUs each has
  /// @param model the GPUs' name
  /// @param gpuResource the resource that counts them
  /// @param cpu cores; absent: as many as are asked for
  /// @param memory a size such as `512Gi`; absent: as much as is asked for
  /// @param labels what all of them are labelled with
  /// @param nodesPer how many of them share a domain of a level, by the name of the level
  /// @param pricePerHour what one costs for an hour
  /// @param joinDelay how long a cloud node takes to come; zero for nodes that are always there
  /// @param leaveAfter how long a cloud node has nobody on it before it leaves
  record Pool(
      String name,
      int count,
      int gpus,
      String model,
      String gpuResource,
      @Nullable String cpu,
      @Nullable String memory,
      Map<String, String> labels,
      Map<String, Integer> nodesPer,
      double pricePerHour,
      Duration joinDelay,
      Duration leaveAfter) {
    Make make() {
      return new Make(gpus, model, gpuResource, milli(cpu), bytes(memory));
    }

    Terms terms() {
      return joinDelay.isZero()
          ? Terms.ofPrice(pricePerHour)
          : new Terms(pricePerHour, joinDelay, leaveAfter);
    }

    private static OptionalLong milli(@Nullable String text) {
      return text == null ? OptionalLong.empty() : OptionalLong.of(Amounts.milli(text));
    }

    private static OptionalLong bytes(@Nullable String text) {
      return text == null ? OptionalLong.empty() : OptionalLong.of(Amounts.bytes(text));
    }
  }

  FleetFile {
    if (!preset.isEmpty() && !levels.isEmpty()) {
      throw new IllegalArgumentException("preset and levels exclude each other.");
    }
  }

  Fleet fleet(String file) {
    Topology topology = new Topology(preset().isEmpty() ? levels : preset(preset));
    List<Node> nodes = new ArrayList<>();
    Map<NodeId, Terms> terms = new HashMap<>();
    for (Pool pool : pools) {
      Terms same = pool.terms();
      for (int i = 0; i < pool.count; i++) {
        Map<String, String> labels = labels(pool, i, topology);
        Node node = pool.make().node(Make.numbered(pool.name, i + 1), labels);
        nodes.add(node);
        if (!same.equals(Terms.NONE)) {
          terms.put(node.id(), same);
        }
      }
    }
    return new Fleet(
        file,
        nodes,
        topology,
        terms,
        List.of("CPU and memory are limited where the file says so.", Make.UNLIMITED));
  }

  private static List<TopologyLevel> preset(String key) {
    return TopologyPreset.byKey(key).orElseThrow().levels();
  }

  private static Map<String, String> labels(Pool pool, int index, Topology topology) {
    Map<String, String> labels = new TreeMap<>(pool.labels);
    pool.nodesPer.forEach((level, nodes) ->
        labels.put(
            topology.labelOf(level).orElseThrow(),
            pool.name + "-" + level + "-" + (index / nodes + 1)));
    return labels;
  }

  /// What does not agree, by the field to name; the document may be of any shape.
  private static Map<JsonPointer, String> faults(JsonNode document) {
    Map<JsonPointer, String> faults = new LinkedHashMap<>();
    String preset = document.path("preset").asText();
    List<String> presets = Stream.of(TopologyPreset.values()).map(TopologyPreset::key).toList();
    if (!preset.isEmpty() && !presets.contains(preset)) {
      faults.put(
          JsonPointer.compile("/preset"),
          "unknown preset \"%s\"; known: %s.".formatted(preset, String.join(", ", presets)));
      return faults;
    }
    List<String> levels = levels(document, preset);
    long nodes = 0;
    Map<String, Integer> firsts = new HashMap<>();
    JsonNode pools = document.path("pools");
    for (int i = 0; i < pools.size(); i++) {
      JsonNode pool = pools.path(i);
      JsonPointer place = JsonPointer.compile("/pools").appendIndex(i);
      nodes += pool.path("count").asInt();
      if (nodes > ShortFleet.MOST_NODES) {
        faults.putIfAbsent(
            JsonPointer.compile("/pools"),
            "more than %d nodes, the maximum.".formatted(ShortFleet.MOST_NODES));
      }
      Integer first = firsts.putIfAbsent(pool.path("name").asText(), i);
      if (first != null && pool.path("name").isTextual()) {
        faults.put(
            place.appendProperty("name"),
            "duplicate name \"%s\", already used by pools[%d]."
                .formatted(pool.path("name").asText(), first));
      }
      if (pool.has("leaveAfter") && !pool.has("joinDelay")) {
        faults.put(
            place.appendProperty("leaveAfter"),
            "applies to cloud nodes only, that is, with joinDelay.");
      }
      for (Map.Entry<String, JsonNode> level : pool.path("nodesPer").properties()) {
        if (!levels.contains(level.getKey())) {
          faults.put(
              place.appendProperty("nodesPer").appendProperty(level.getKey()),
              "unknown level \"%s\"; levels: %s."
                  .formatted(level.getKey(), levels.isEmpty() ? "none" : levels));
        }
      }
    }
    return faults;
  }

  /// The levels by their names and by their labels, as [Topology#labelOf] knows them.
  private static List<String> levels(JsonNode document, String preset) {
    List<String> words = new ArrayList<>();
    if (!preset.isEmpty()) {
      preset(preset).forEach(level -> words.addAll(List.of(level.name(), level.label())));
    }
    for (JsonNode level : document.path("levels")) {
      words.add(level.path("name").asText());
      words.add(level.path("label").asText());
    }
    return words;
  }
}
