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

/// Ends of links as admins write them: a domain's label values, outermost first, `block-1/rack-2`;
/// `node:NAME`; `switch:NAME`.
final class LinkEnd {

  private static final String NODE = "node:";
  private static final String SWITCH = "switch:";

  private LinkEnd() {}

  /// The end that a text means; the schema tells which texts are ends.
  static Vertex parse(String text) {
    if (text.startsWith(NODE)) {
      return new Vertex.Node(text.substring(NODE.length()));
    }
    return text.startsWith(SWITCH)
        ? new Vertex.Switch(text.substring(SWITCH.length()))
        : new Vertex.Domain(new DomainPath(List.of(text.split("/", -1))));
  }

  /// Which ends lie deeper than the levels, by the field; the document may be of any shape.
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
            "\"%s\" has %d values, but the levels are %s. Maybe remove one, or write node:%s."
                .formatted(end, path.depth(), levels, path.values().getLast()))
        : Optional.empty();
  }

  /// The names of the levels; empty where what should tell them is wrong itself.
  private static Optional<List<String>> levels(JsonNode topology) {
    if (topology.has("levels")) {
      return Optional.of(
          topology.path("levels").valueStream().map(each -> each.path("name").asText()).toList());
    }
    return TopologyPreset.byKey(topology.path("preset").asText(TopologyPreset.UPSTREAM.key()))
        .map(preset -> preset.levels().stream().map(TopologyLevel::name).toList());
  }
}
