package dev.muster.simulator.cli;

import dev.muster.policy.file.Durations;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `muster simulate`: everything that needs no cluster.
@Command(
    name = "simulate",
    description = "Simulates clusters, with the decisions of the live scheduler or classic ones.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    subcommands = {
      RunCommand.class,
      CompareCommand.class,
      SweepCommand.class,
      PlanCommand.class,
      PackCommand.class,
      GenerateCommand.class,
      ReplayCommand.class
    })
public final class Simulate implements Runnable {
  @Spec private CommandSpec spec;

  /// Made by the command line.
  public Simulate() {
    this.spec = CommandSpec.create(); // picocli puts the real one here before it runs the command
  }

  /// The command with all below it, ready to be added to another.
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Simulate());
    line.registerConverter(Duration.class, Simulate::duration);
    return line;
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
