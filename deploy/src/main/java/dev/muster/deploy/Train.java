package dev.muster.deploy;

import java.io.PrintWriter;
import java.io.Writer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Runs what every start runs, so that the JVM can record it in its AOT cache. The launcher calls it
 * after a build; it prints nothing.
 */
@Command(
    name = "train",
    hidden = true,
    description = "Exercises the program for the AOT cache; prints nothing.")
final class Train implements Runnable {
  @Spec private CommandSpec spec;

  Train() {
    this.spec = CommandSpec.create(); // picocli puts the real one here before it runs the command
  }

  @Override
  public void run() {
    CommandSpec parent = spec.parent();
    CommandLine whole = parent == null ? spec.commandLine() : parent.commandLine();
    var nowhere = new PrintWriter(Writer.nullWriter());
    help(whole, nowhere);
    whole.printVersionHelp(nowhere);
  }

  private static void help(CommandLine command, PrintWriter out) {
    command.usage(out);
    command.getSubcommands().values().forEach(below -> help(below, out));
  }
}
