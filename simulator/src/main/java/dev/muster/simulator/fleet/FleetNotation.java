package dev.muster.simulator.fleet;

import dev.muster.core.node.Node;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses the short form of a fleet.
///
/// `12x8` is twelve nodes of eight GPUs. `4x8:V100,2x4:P4` is four nodes of eight V100 and two of
/// four P4.
///
/// Such nodes belong to no topology domain and have unlimited CPU and memory.
public final class FleetNotation {
  /// The name of the GPU resource.
  public static final String GPU = "nvidia.com/gpu";

  /// The prefix of node names, before the number.
  public static final String NODE = "node";

  /// The largest number of nodes that can be simulated.
  public static final int MOST_NODES = 200_000;

  /// The largest number of GPUs of a node, so that those of all nodes are counted as an `int`.
  static final int MOST_GPUS = 9_999;

  private static final Pattern PART =
      Pattern.compile("([1-9][0-9]{0,6})x([1-9][0-9]{0,3})(?::([A-Za-z0-9._-]+))?");

  private static final Pattern LIKE_A_PART = Pattern.compile("[-+]?[0-9]+ *[xX*] *[-+]?[0-9]+.*");

  private FleetNotation() {}

  /// Parses a short form; empty when the text is something else, such as a file name.
  ///
  /// @throws IllegalArgumentException if it has more nodes than can be simulated
  public static Optional<Fleet> parse(String text) {
    return parse(text, NODE);
  }

  /// Parses a short form with another prefix of node names, as in `planned-00001`.
  public static Optional<Fleet> parse(String text, String name) {
    List<Node> nodes = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      Matcher matcher = PART.matcher(part.strip());
      if (!matcher.matches()) {
        return Optional.empty();
      }
      int count = Integer.parseInt(matcher.group(1));
      int gpus = Integer.parseInt(matcher.group(2));
      NodeTemplate make =
          NodeTemplate.boundless(gpus, matcher.group(3) == null ? "" : matcher.group(3));
      if (nodes.size() + count > MOST_NODES) {
        throw new IllegalArgumentException(
            "Fleet %s has more than %d nodes, the maximum; 12x8 is twelve nodes of eight GPUs."
                .formatted(text, MOST_NODES));
      }
      for (int i = 0; i < count; i++) {
        nodes.add(make.node(NodeTemplate.numbered(name, nodes.size() + 1), Map.of()));
      }
    }
    List<String> assumptions = List.of("CPU and memory of the nodes are not limited.");
    return Optional.of(new Fleet(text, nodes, new Topology(List.of()), assumptions));
  }

  /// Returns the message about a malformed short form.
  ///
  /// It is empty where the text does not resemble a short form.
  static Optional<String> wrong(String text) {
    List<String> parts = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    if (!LIKE_A_PART.matcher(parts.getFirst()).matches()) {
      return Optional.empty();
    }
    String part =
        parts.stream().filter(each -> !PART.matcher(each).matches()).findFirst().orElseThrow();
    return Optional.of(
        "Fleet \"%s\": \"%s\" is not of the form NODESxGPUS[:MODEL], such as 12x8, with 1 to %,d nodes and 1 to 9,999 GPUs per node."
            .formatted(text, part, MOST_NODES));
  }
}
