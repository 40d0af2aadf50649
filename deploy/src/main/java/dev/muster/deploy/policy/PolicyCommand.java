package dev.muster.deploy.policy;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// `muster policy`: what admins do with preemption policies before a cluster gets them.
@Command(
    name = "policy",
    description = "Checks, tests, explains and compares preemption policies.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it went well",
      "1:a test failed",
      "2:a file is not valid, or it was called wrongly",
      "3:it failed otherwise"
    })
public final class PolicyCommand {
  private PolicyCommand() {}

  /// The command with its subcommands, in the order the help shows them.
  public static CommandLine commandLine() {
    return new CommandLine(new PolicyCommand())
        .addSubcommand(new Validate())
        .addSubcommand(new Test())
        .addSubcommand(new Explain())
        .addSubcommand(new Diff());
  }
}
