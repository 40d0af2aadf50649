package dev.muster.deploy;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `muster completion`: prints a script that completes commands and options in a shell.
@Command(
    name = "completion",
    description = {
      "Prints a completion script for bash and zsh.",
      "bash: source <(muster completion)    zsh: autoload -U bashcompinit && bashcompinit first"
    },
    mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(AutoComplete.bash("muster", Muster.commandLine()));
    out.flush();
    return 0;
  }
}
