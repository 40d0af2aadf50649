package dev.muster.deploy;

import dev.muster.core.decision.PlainText;
import dev.muster.deploy.client.PageProblem;
import dev.muster.policy.file.FailureText;
import dev.muster.policy.file.FileErrorText;
import dev.muster.policy.journal.MalformedJournal;
import dev.muster.simulator.file.MalformedFile;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// Prints failures of commands to the error stream, one line each.
///
/// The stack trace follows only if `MUSTER_TRACE` is set.
final class ErrorPrinter implements IParameterExceptionHandler, IExecutionExceptionHandler {
  private static final Pattern OF_THE_MACHINE =
      Pattern.compile(
          "No space left on device|Disk quota exceeded|Input/output error|Too many open files");

  private final boolean withTrace;

  ErrorPrinter(boolean withTrace) {
    this.withTrace = withTrace;
  }

  @Override
  public int handleParseException(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    err.println(name + ": " + shown(String.valueOf(wrong.getMessage())));
    UnmatchedArgumentException.printSuggestions(wrong, err);
    err.println("Try '" + name + " --help'.");
    trace(wrong, err);
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  @Override
  public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    Throwable cause = cause(failure);
    err.println(command.getCommandSpec().qualifiedName() + ": " + shown(sentence(cause)));
    trace(failure, err);
    return isOfTheCall(cause)
        ? command.getCommandSpec().exitCodeOnInvalidInput()
        : failed(command.getCommandSpec());
  }

  /// Returns the code of a runtime error. A command whose other codes are answers has one code for
  /// all errors.
  static int failed(CommandSpec command) {
    return command.exitCodeOnInvalidInput() == CommandLine.ExitCode.USAGE
        ? Muster.FAILED
        : command.exitCodeOnExecutionException();
  }

  /// True if another call could succeed: with another value, or another file.
  private static boolean isOfTheCall(Throwable cause) {
    return cause instanceof IllegalArgumentException
        || (cause instanceof FileSystemException file && !isOfTheMachine(file))
        || (cause instanceof PageProblem page && page.isOfTheCall())
        || cause instanceof MalformedFile
        || cause instanceof MalformedJournal;
  }

  /// True if this call may succeed on another machine, or at another time.
  private static boolean isOfTheMachine(FileSystemException failure) {
    String reason = failure.getReason();
    return reason != null && OF_THE_MACHINE.matcher(reason).lookingAt();
  }

  private void trace(Exception failure, PrintWriter err) {
    if (withTrace) {
      failure.printStackTrace(err);
    }
  }

  /// Unwraps the exceptions of futures, streams and unchecked wrappers.
  ///
  /// So the message names the failure, not the thread or the wrapper.
  private static Throwable cause(Throwable failure) {
    Throwable inner = failure.getCause();
    boolean wrapper =
        failure instanceof CompletionException
            || failure instanceof ExecutionException
            || (inner != null && inner.toString().equals(failure.getMessage()));
    return wrapper && inner != null ? cause(inner) : failure;
  }

  /// Returns the message, of which a terminal obeys nothing but its line ends.
  private static String shown(String message) {
    return message.lines().map(PlainText::line).collect(Collectors.joining(System.lineSeparator()));
  }

  /// Returns the message; without one, the failure was unforeseen, and `MUSTER_TRACE` shows its
  /// place.
  private static String sentence(Throwable failure) {
    if (failure instanceof FileSystemException file) {
      return file.getFile() + ": " + FileErrorText.of(file);
    }
    String message = failure.getMessage();
    if (message == null || message.isBlank()) {
      return "a fault of Muster: " + FailureText.of(failure) + ". MUSTER_TRACE=1 shows where.";
    }
    return message;
  }
}
