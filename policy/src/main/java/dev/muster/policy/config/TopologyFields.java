package dev.muster.policy.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.muster.core.topology.Link;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.core.topology.TopologyPreset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The levels that gangs are packed into, as a preset or a list, and extra links between domains.
///
/// @param preset the chosen preset; empty if levels are listed
/// @param listed the listed levels, outermost first and without the node; empty with a preset
/// @param links the links that do not follow from the levels
public record TopologyFields(
    Optional<TopologyPreset> preset, List<Level> listed, List<Link> links) {

  /// A listed level.
  ///
  /// @param level its name and node label
  /// @param megabitsPerSecond the bandwidth between two nodes that share a domain of this level
  public record Level(TopologyLevel level, OptionalLong megabitsPerSecond) {
    @JsonCreator
    static Level read(
        @JsonProperty("name") String name,
        @JsonProperty("label") String label,
        @JsonProperty("bandwidth") @Nullable String bandwidth) {
      return new Level(
          new TopologyLevel(name, label),
          bandwidth == null
              ? OptionalLong.empty()
              : OptionalLong.of(Bandwidth.megabitsPerSecond(bandwidth)));
    }
  }

  /// A link as written in the file.
  record Cable(List<String> between, String bandwidth) {
    Link link() {
      return new Link(
          LinkEnd.parse(between.getFirst()),
          LinkEnd.parse(between.getLast()),
          Bandwidth.megabitsPerSecond(bandwidth));
    }
  }

  public TopologyFields {
    listed = List.copyOf(listed);
    links = List.copyOf(links);
    if (preset.isPresent() == !listed.isEmpty()) {
      throw new IllegalArgumentException("A topology needs either a preset or levels.");
    }
    new Topology(listed.stream().map(Level::level).toList()); // refuses repeated levels
  }

  /// Returns all levels, outermost first, without the node.
  public List<TopologyLevel> levels() {
    return preset
        .map(TopologyPreset::levels)
        .orElseGet(() -> listed.stream().map(Level::level).toList());
  }

  /// Reads a topology. Without preset and levels the preset is `upstream`.
  @JsonCreator
  static TopologyFields read(
      @JsonProperty("preset") @Nullable String preset,
      @JsonProperty("levels") @Nullable List<Level> levels,
      @JsonProperty("links") List<Cable> cables) {
    List<Link> links = cables.stream().map(Cable::link).toList();
    if (levels != null && preset == null) {
      return new TopologyFields(Optional.empty(), levels, links);
    }
    return new TopologyFields(
        Optional.of(preset == null ? TopologyPreset.UPSTREAM : named(preset)),
        levels == null ? List.of() : levels,
        links);
  }

  private static TopologyPreset named(String key) {
    return TopologyPreset.byKey(key)
        .orElseThrow(() -> new IllegalArgumentException("preset \"" + key + "\" is not known."));
  }
}
