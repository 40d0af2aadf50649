package dev.muster.simulator.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/// The commands below another, each made only if it is wanted: to read the options of all of them
/// takes a tenth of a second, which is a thirtieth of a large simulation.
public final class Subcommands {
  private final Map<String, Supplier<?>> byName = new LinkedHashMap<>();

  /// With one more, which comes last in the help.
  ///
  /// @param name as its annotation says
  /// @param command makes its object or command line
  public Subcommands and(String name, Supplier<?> command) {
    byName.put(name, command);
    return this;
  }

  /// Adds the command of this name to the line; all of them if there is none, as for the help.
  public CommandLine addTo(CommandLine line, String wanted) {
    Supplier<?> one = byName.get(wanted);
    if (one != null) {
      return line.addSubcommand(one.get());
    }
    byName.values().forEach(each -> line.addSubcommand(each.get()));
    return line;
  }
}
