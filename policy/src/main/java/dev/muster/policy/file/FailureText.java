package dev.muster.policy.file;

import java.nio.file.FileSystemException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Words for failures that nobody foresaw, such as those of plug-ins. No exception is named, since
/// its name tells users nothing.
public final class FailureText {

  private FailureText() {}

  /// Returns what failed, as the end of a sentence without its full stop.
  ///
  /// It is the message of the failure, or of its cause where the failure only wraps it. Linkage
  /// failures name the class that is missing or too new.
  public static String of(Throwable failure) {
    return switch (failure) {
      case FileSystemException file -> file.getFile() + ": " + withoutStop(FileErrorText.of(file));
      case ClassNotFoundException missing -> missing(missing.getMessage());
      case NoClassDefFoundError missing -> missing(missing.getMessage());
      case StackOverflowError _ -> "it calls itself too often";
      case OutOfMemoryError _ -> "the memory is used up";
      default ->
          wrapped(failure)
              .map(FailureText::of)
              .or(() -> message(failure))
              .orElse("it failed and did not say why");
    };
  }

  /// Returns what failed, as the end of a sentence with its full stop.
  public static String sentence(Throwable failure) {
    String words = of(failure);
    return words.endsWith("?") || words.endsWith(".") ? words : words + ".";
  }

  private static String missing(@Nullable String said) {
    return said == null || said.contains(" ")
        ? "a class is missing"
        : "the class %s is missing".formatted(said.replace('/', '.'));
  }

  /// Returns the cause of which the failure only repeats the words.
  private static Optional<Throwable> wrapped(Throwable failure) {
    return Optional.ofNullable(failure.getCause())
        .filter(
            cause -> failure.getMessage() == null || cause.toString().equals(failure.getMessage()));
  }

  private static Optional<String> message(Throwable failure) {
    return Optional.ofNullable(failure.getMessage())
        .map(String::strip)
        .filter(said -> !said.isEmpty())
        .map(FailureText::withoutStop);
  }

  private static String withoutStop(String said) {
    return said.endsWith(".") && !said.endsWith("..") ? said.substring(0, said.length() - 1) : said;
  }
}
