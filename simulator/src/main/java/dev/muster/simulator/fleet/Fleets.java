package dev.muster.simulator.fleet;

import dev.muster.policy.file.FileErrorText;
import dev.muster.policy.file.StrictReader;
import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.MalformedFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Reads fleets in every form.
///
/// - The short form.
/// - YAML.
/// - Published lists of nodes in CSV.
/// - The export of a live cluster.
public final class Fleets {
  private Fleets() {}

  /// Returns the fleet of a short form, else of a file, whose form is detected from its content.
  ///
  /// @throws MalformedFile if the file cannot be opened, or is a list of nodes that cannot be read
  /// @throws IllegalArgumentException if a YAML file is no fleet, two nodes have one name, or there
  ///   are none
  public static Fleet of(String named) {
    Fleet fleet = FleetNotation.parse(named).orElseGet(() -> read(FileErrorText.path(named)));
    if (fleet.nodes().isEmpty()) {
      throw new IllegalArgumentException("Fleet %s has no nodes.".formatted(named));
    }
    return fleet;
  }

  private static Fleet read(Path path) {
    InputFile source = new InputFile(path);
    if (!Files.exists(path)) {
      FleetNotation.wrong(path.toString())
          .ifPresent(wrong -> {
            throw new IllegalArgumentException(wrong);
          });
      throw MalformedFile.ofFile(
          source.file(), "no such file, and not a short form such as 12x8 or 4x8:V100,2x4:P4.");
    }
    FileHead head = source.head();
    Optional<NodeTable> table = NodeTable.of(head);
    if (table.isPresent()) {
      return table.get().read(source);
    }
    if (FleetLines.recognises(head)) {
      return FleetLines.read(source);
    }
    if (path.toString().matches(".*\\.csv(\\.gz)?")) {
      throw NodeTable.unknown(source, head);
    }
    return yaml(path);
  }

  private static Fleet yaml(Path path) {
    return new StrictReader<>(List.of(FleetFile.KIND))
        .read(path)
        .orThrow(IllegalArgumentException::new)
        .fleet(path.toString());
  }
}
