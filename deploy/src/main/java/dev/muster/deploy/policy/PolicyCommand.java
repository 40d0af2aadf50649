package dev.muster.deploy.policy;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// `muster policy`: checks preemption policies before they reach a cluster.
@Command(
    name = "policy",
    description = "Checks, tests, explains and compares preemption policies.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:a test failed",
      "2:usage error, or a file is not valid",
      "3:runtime error"
    })
public final class PolicyCommand {
  private PolicyCommand() {}

  /// Returns the command with its subcommands, in the order of the help.
  public static CommandLine commandLine() {
    return new CommandLine(new PolicyCommand())
        .addSubcommand(new ValidateCommand())
        .addSubcommand(new TestCommand())
        .addSubcommand(new ExplainCommand())
        .addSubcommand(new DiffCommand())
        .setCaseInsensitiveEnumValuesAllowed(true);
  }
}
