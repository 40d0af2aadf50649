package dev.muster.simulator.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/// The subcommands of a command, each created only on demand.
///
/// Reading the options of all of them takes 0.1 s, a thirtieth of a large simulation.
public final class Subcommands {
  private final Map<String, Supplier<?>> byName = new LinkedHashMap<>();

  /// Returns these subcommands with one more, which comes last in the help.
  ///
  /// @param name name in its annotation
  /// @param command supplier of its object or command line
  public Subcommands and(String name, Supplier<?> command) {
    byName.put(name, command);
    return this;
  }

  /// Adds the subcommand of this name to the line; all of them if none has it, as for the help.
  public CommandLine addTo(CommandLine line, String wanted) {
    Supplier<?> one = byName.get(wanted);
    if (one != null) {
      return line.addSubcommand(one.get());
    }
    byName.values().forEach(each -> line.addSubcommand(each.get()));
    return line;
  }
}
