package dev.muster.simulator.fleet;

import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.StrictReader;
import dev.muster.simulator.file.BadFile;
import dev.muster.simulator.file.Head;
import dev.muster.simulator.file.Source;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Reads fleets in every form: the short one, YAML, published lists of nodes in CSV, and the export
/// of a live cluster.
public final class Fleets {
  private static final StrictReader<FleetFile> YAML = new StrictReader<>(List.of(FleetFile.KIND));

  private Fleets() {}

  /// The fleet that a user names: a short form, else a file, whose content tells its form.
  ///
  /// @throws BadFile if the file cannot be read, or is no fleet
  /// @throws IllegalArgumentException if two nodes have one name
  public static Fleet of(String named) {
    return ShortFleet.parse(named).orElseGet(() -> read(Path.of(named)));
  }

  private static Fleet read(Path path) {
    Source source = new Source(path);
    Head head = source.head();
    Optional<NodeTable> table = NodeTable.of(head);
    if (table.isPresent()) {
      return table.get().read(source);
    }
    return FleetLines.recognises(head) ? FleetLines.read(source) : yaml(path);
  }

  private static Fleet yaml(Path path) {
    return switch (YAML.read(path)) {
      case Loaded.Valid<FleetFile>(FleetFile file, String _) -> file.fleet(path.toString());
      case Loaded.Invalid<FleetFile> invalid ->
          throw invalid.problems().size() == 1
              ? new BadFile(invalid.problems().getFirst())
              : new IllegalArgumentException(invalid.render());
    };
  }
}
