package dev.muster.simulator.fleet;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Node;
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

/// A fleet in the YAML form for planners.
///
/// @param preset name of a known topology; empty when levels are listed or there are none
/// @param levels topology levels, outermost first
/// @param pools groups of equal nodes
record FleetFile(String preset, List<TopologyLevel> levels, List<Pool> pools) {
  static final FileKind<FleetFile> KIND =
      FileKind.of(
              new FileKind.Header("simulator.muster.dev/v1", "Fleet"),
              FleetFile.class,
              "fleet-v1.schema.json",
              Map.of("muster-amount", ResourceAmounts::check))
          .agreeing(FleetFile::faults);

  /// A group of equal nodes.
  ///
  /// @param name prefix of the names of its nodes
  /// @param count number of nodes
  /// @param gpus GPUs per node
  /// @param model model of the GPUs
  /// @param gpuResource name of the GPU resource
  /// @param cpu cores; absent: unlimited
  /// @param memory a size such as `512Gi`; absent: unlimited
  /// @param labels labels of all its nodes
  /// @param nodesPer number of nodes per domain, by the name of the level
  /// @param pricePerHour price of a node per hour
  /// @param joinDelay time from the request of a cloud node until it is ready; zero for permanent
  ///   nodes
  /// @param leaveAfter idle time after which a cloud node leaves
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
    NodeTemplate make() {
      return new NodeTemplate(gpus, model, gpuResource, milli(cpu), bytes(memory));
    }

    NodeTerms terms() {
      return joinDelay.isZero()
          ? NodeTerms.ofPrice(pricePerHour)
          : new NodeTerms(pricePerHour, joinDelay, leaveAfter);
    }

    private static OptionalLong milli(@Nullable String text) {
      return text == null ? OptionalLong.empty() : OptionalLong.of(ResourceAmounts.milli(text));
    }

    private static OptionalLong bytes(@Nullable String text) {
      return text == null ? OptionalLong.empty() : OptionalLong.of(ResourceAmounts.bytes(text));
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
    Map<NodeId, NodeTerms> terms = new HashMap<>();
    for (Pool pool : pools) {
      NodeTerms same = pool.terms();
      for (int i = 0; i < pool.count; i++) {
        Map<String, String> labels = labels(pool, i, topology);
        Node node = pool.make().node(NodeTemplate.numbered(pool.name, i + 1), labels);
        nodes.add(node);
        if (!same.equals(NodeTerms.NONE)) {
          terms.put(node.id(), same);
        }
      }
    }
    return new Fleet(
        file,
        nodes,
        topology,
        terms,
        List.of(
            "CPU and memory are limited only where the file has values.", NodeTemplate.UNLIMITED));
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

  /// Returns the inconsistencies of a document of any shape, by the field to name.
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
    repeated(document, "levels", "name", faults);
    repeated(document, "levels", "label", faults);
    repeated(document, "pools", "name", faults);
    long nodes = 0;
    JsonNode pools = document.path("pools");
    for (int i = 0; i < pools.size(); i++) {
      JsonNode pool = pools.path(i);
      JsonPointer place = JsonPointer.compile("/pools").appendIndex(i);
      nodes += pool.path("count").asInt();
      if (nodes > FleetNotation.MOST_NODES) {
        faults.putIfAbsent(
            JsonPointer.compile("/pools"),
            "more than %d nodes, the maximum.".formatted(FleetNotation.MOST_NODES));
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

  /// Adds a fault for each item of a list whose field has the value of an item before it.
  private static void repeated(
      JsonNode document, String list, String field, Map<JsonPointer, String> faults) {
    Map<String, Integer> firsts = new HashMap<>();
    JsonPointer place = JsonPointer.compile("/" + list);
    for (int i = 0; i < document.path(list).size(); i++) {
      JsonNode value = document.path(list).path(i).path(field);
      Integer first = value.isTextual() ? firsts.putIfAbsent(value.asText(), i) : null;
      if (first != null) {
        faults.put(
            place.appendIndex(i).appendProperty(field),
            "duplicate %s \"%s\", already used by %s[%d]."
                .formatted(field, value.asText(), list, first));
      }
    }
  }

  /// Returns the names and labels of the levels, both of which [Topology#labelOf] accepts.
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
