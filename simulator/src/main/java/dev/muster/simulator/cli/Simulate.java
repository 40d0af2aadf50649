package dev.muster.simulator.cli;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.file.PlainNumber;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// The command `muster simulate`: all commands that need no cluster.
@Command(
    name = "simulate",
    description = "Simulates clusters with the live scheduler or with classic policies.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true)
public final class Simulate implements Runnable {
  private static final String WHOLE = "is not a whole number in range.";
  private static final String ANY = "is not a number.";

  @Spec private CommandSpec spec;

  /// The constructor for the command line library.
  public Simulate() {
    this.spec = CommandSpec.create(); // replaced by picocli before the command runs
  }

  /// Returns the command with all its subcommands.
  public static CommandLine commandLine() {
    return commandLine(subcommands(), "");
  }

  /// Returns its subcommands, to which others can be added.
  public static Subcommands subcommands() {
    return new Subcommands()
        .and("run", RunCommand::new)
        .and("compare", CompareCommand::new)
        .and("sweep", SweepCommand::new)
        .and("plan", PlanCommand::new)
        .and("generate", GenerateCommand::new)
        .and("replay", ReplayCommand::new);
  }

  /// Returns the command with the wanted subcommand, or with all if none has that name.
  ///
  /// @param below the subcommands
  /// @param wanted name of the wanted one
  public static CommandLine commandLine(Subcommands below, String wanted) {
    return converting(below.addTo(new CommandLine(new Simulate()), wanted));
  }

  /// Registers the converters of the simulator's options, which name the remedy in their errors.
  static CommandLine converting(CommandLine line) {
    line.registerConverter(Duration.class, Simulate::duration);
    line.registerConverter(int.class, text -> number(text, Integer::valueOf, WHOLE));
    line.registerConverter(Integer.class, text -> number(text, Integer::valueOf, WHOLE));
    line.registerConverter(long.class, text -> number(text, Long::valueOf, WHOLE));
    line.registerConverter(double.class, text -> number(text, PlainNumber::decimal, ANY));
    line.registerConverter(Double.class, text -> number(text, PlainNumber::decimal, ANY));
    return line;
  }

  private static <N> N number(String text, Function<String, N> read, String remedy) {
    try {
      return read.apply(text);
    } catch (NumberFormatException _) {
      throw new TypeConversionException("\"" + text + "\" " + remedy);
    }
  }

  private static Duration duration(String text) {
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException refused) {
      throw new TypeConversionException(refused.getMessage());
    }
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
