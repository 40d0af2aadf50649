package dev.muster.policy.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.core.topology.TopologyPreset;
import dev.muster.core.topology.Vertex;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Parses and checks the ends of links.
///
/// An end is a domain's label values, outermost first (`block-1/rack-2`), `node:NAME` or
/// `switch:NAME`.
final class LinkEnd {

  private static final String NODE = "node:";
  private static final String SWITCH = "switch:";

  private LinkEnd() {}

  /// Parses an end. The schema has already checked that the text is one.
  static Vertex parse(String text) {
    if (text.startsWith(NODE)) {
      return new Vertex.Node(text.substring(NODE.length()));
    }
    return text.startsWith(SWITCH)
        ? new Vertex.Switch(text.substring(SWITCH.length()))
        : new Vertex.Domain(new DomainPath(List.of(text.split("/", -1))));
  }

  /// Returns the ends with more label values than there are levels, by field. The document may have
  /// any shape.
  static Map<JsonPointer, String> faults(JsonNode document) {
    Map<JsonPointer, String> faults = new LinkedHashMap<>();
    JsonNode topology = document.path("topology");
    JsonNode links = topology.path("links");
    Optional<List<String>> levels = levels(topology);
    for (int i = 0; i < links.size() && levels.isPresent(); i++) {
      JsonNode between = links.path(i).path("between");
      for (int j = 0; j < between.size(); j++) {
        JsonPointer place =
            JsonPointer.compile("/topology/links")
                .appendIndex(i)
                .appendProperty("between")
                .appendIndex(j);
        fault(between.path(j).asText(), levels.get()).ifPresent(fault -> faults.put(place, fault));
      }
    }
    return faults;
  }

  private static Optional<String> fault(String end, List<String> levels) {
    return parse(end) instanceof Vertex.Domain(DomainPath path) && path.depth() > levels.size()
        ? Optional.of(
            "\"%s\" has %d values, but the levels are %s. A node is written node:%s."
                .formatted(end, path.depth(), levels, path.values().getLast()))
        : Optional.empty();
  }

  /// Returns the names of the levels; empty if the preset is unknown.
  private static Optional<List<String>> levels(JsonNode topology) {
    if (topology.has("levels")) {
      return Optional.of(
          topology.path("levels").valueStream().map(each -> each.path("name").asText()).toList());
    }
    return TopologyPreset.byKey(topology.path("preset").asText(TopologyPreset.UPSTREAM.key()))
        .map(preset -> preset.levels().stream().map(TopologyLevel::name).toList());
  }
}
