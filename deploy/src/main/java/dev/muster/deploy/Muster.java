package dev.muster.deploy;

import dev.muster.deploy.client.BudgetsCommand;
import dev.muster.deploy.client.GangsCommand;
import dev.muster.deploy.client.NodesCommand;
import dev.muster.deploy.client.PreemptionsCommand;
import dev.muster.deploy.client.QueueCommand;
import dev.muster.deploy.client.ShareCommand;
import dev.muster.deploy.client.UsageCommand;
import dev.muster.deploy.client.WhyCommand;
import dev.muster.deploy.demo.DemoCommand;
import dev.muster.deploy.live.ExportCommand;
import dev.muster.deploy.live.FitCommand;
import dev.muster.deploy.live.SubmitCommand;
import dev.muster.deploy.policy.PolicyCommand;
import dev.muster.deploy.top.TopCommand;
import dev.muster.policy.file.FileErrorText;
import dev.muster.server.ServeCommand;
import dev.muster.simulator.cli.Simulate;
import dev.muster.simulator.cli.Subcommands;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.TypeConversionException;

/// The program `muster` and its subcommands.
///
/// Exit codes:
/// - 0: success
/// - 1: check failed: a goal that cannot be met, a decision that differs, a test that fails
/// - 2: usage error: an option, its value, or a file that it names
/// - 3: runtime error
/// - 130: interrupted with Ctrl-C
///
/// `why` has [codes of its own][WhyCommand].
///
/// Errors go to the error stream as one line; [LogThrottle] says when more is printed.
@Command(
    name = "muster",
    description = "A GPU-aware gang scheduler that bolts onto the stock kube-scheduler.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    versionProvider = Muster.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:check failed: a goal that cannot be met, a decision that differs, a test that fails",
      "2:usage error: an option, its value, or a file that it names",
      "3:runtime error",
      "130:interrupted with Ctrl-C"
    })
public final class Muster {
  /// The exit code of runtime errors.
  static final int FAILED = 3;

  private Muster() {}

  /// Runs one command line and ends the JVM with its exit code.
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // files and output must not depend on the locale
    CommandLine line = commandLine(args);
    int failed = failed(line, args);
    try {
      System.exit(told(line.execute(args), failed));
    } catch (OutOfMemoryError _) {
      System.err.printf(
          "muster: out of memory (%d MiB). Raise the limit with MUSTER_JAVA_OPTS, such as"
              + " -Xmx8g.%n",
          Runtime.getRuntime().maxMemory() >> 20);
      System.exit(failed);
    }
  }

  /// Returns the code with which the called command says that it failed.
  private static int failed(CommandLine line, String... args) {
    CommandLine called = line;
    for (String arg : args) {
      CommandLine below = called.getSubcommands().get(arg);
      if (below == null) {
        break;
      }
      called = below;
    }
    return ErrorPrinter.failed(called.getCommandSpec());
  }

  /// Returns the exit code, unless the output could not be written: Java's print streams hide that.
  ///
  /// A reader that ends a pipe has read enough, so a broken pipe is no error.
  ///
  /// @param failed code of a failure
  private static int told(int code, int failed) {
    if (!System.out.checkError()) {
      return code;
    }
    String why = "not all was written";
    try {
      // Not closed: without a standard output, this number may be that of a file that the JVM
      // reads.
      new FileOutputStream(FileDescriptor.out).write('\n');
    } catch (IOException e) {
      why = Objects.requireNonNullElse(e.getMessage(), why);
    }
    if (why.equals("Broken pipe")) {
      return code;
    }
    System.err.println("muster: the standard output: " + why + ".");
    return code == 0 ? failed : code;
  }

  /// Returns the part of the command tree that these arguments need; without arguments, all of it.
  ///
  /// Subcommands are registered by hand, in the order of the help.
  static CommandLine commandLine(String... args) {
    var complaints = new ErrorPrinter(System.getenv("MUSTER_TRACE") != null);
    return new Subcommands()
        .and("demo", DemoCommand::new)
        .and("serve", ServeCommand::new)
        .and("submit", SubmitCommand::new)
        .and("why", WhyCommand::new)
        .and("queue", QueueCommand::new)
        .and("top", TopCommand::new)
        .and("gangs", GangsCommand::new)
        .and("share", ShareCommand::new)
        .and("nodes", NodesCommand::new)
        .and("preemptions", PreemptionsCommand::new)
        .and("usage", UsageCommand::new)
        .and("budgets", BudgetsCommand::new)
        .and("simulate", () -> Simulate.commandLine(simulations(), word(args, 1)))
        .and("policy", PolicyCommand::commandLine)
        .and("schema", SchemaCommand::new)
        .and("completion", CompletionCommand::new)
        .addTo(new CommandLine(new Muster()), word(args, 0))
        .registerConverter(Path.class, Muster::path)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(complaints)
        .setExecutionExceptionHandler(complaints);
  }

  private static Path path(String text) {
    if (text.isEmpty()) {
      throw new TypeConversionException("the path is empty.");
    }
    try {
      return FileErrorText.path(text);
    } catch (IllegalArgumentException wrong) {
      throw new TypeConversionException(wrong.getMessage());
    }
  }

  private static Subcommands simulations() {
    return Simulate.subcommands().and("export", ExportCommand::new).and("fit", FitCommand::new);
  }

  private static String word(String[] args, int at) {
    return at < args.length ? args[at] : "";
  }

  /// Reads the version that the build wrote beside this class.
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"muster " + read()};
    }

    private static String read() {
      var written = new Properties();
      try (InputStream in = Muster.class.getResourceAsStream("version.properties")) {
        if (in == null) {
          throw new IllegalStateException("version.properties is missing from the jar of Muster.");
        }
        written.load(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return written.getProperty("version", "unknown");
    }
  }
}
