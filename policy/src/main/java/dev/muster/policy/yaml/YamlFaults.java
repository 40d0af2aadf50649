package dev.muster.policy.yaml;

import dev.muster.policy.yaml.YamlDocument.Spot;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/// Words the YAML faults of a text for admins.
final class YamlFaults {

  static final String SECOND_DOCUMENT = "a second document starts here. A file may hold only one.";

  static final String MERGE_KEY = "merge keys (<<) are not supported.";

  /// A text that exceeds a limit.
  static final class Unsafe extends YAMLException {
    private final transient @Nullable Mark mark;

    Unsafe(String message, @Nullable Mark mark) {
      super(message);
      this.mark = mark;
    }
  }

  /// A tag that the composer refuses without giving a place.
  static final class StrangeTag extends YAMLException {
    private final transient @Nullable Mark mark;

    StrangeTag(IllegalArgumentException fault, @Nullable Mark mark) {
      super(fault);
      this.mark = mark;
    }
  }

  private YamlFaults() {}

  /// Returns the limit that the parser reports as broken.
  static String limit(YAMLException fault) {
    String reason = String.valueOf(fault.getMessage());
    if (reason.contains("Nesting Depth")) {
      return "more than " + YamlReader.DEEPEST + " levels of lists and mappings";
    }
    return reason.contains("aliases")
        ? "more than " + YamlText.MOST_ALIASES + " aliases (*) of lists and mappings"
        : ShownValue.text(reason);
  }

  static String duplicate(Spot first) {
    return "duplicate field, first on line " + first.line() + ".";
  }

  static String tag(String tag) {
    return "the tag \"" + ShownValue.text(tag) + "\" is not supported.";
  }

  private static String strangeTag(StrangeTag fault) {
    return "has an invalid tag: %s Put a value in quotes if it begins with \"!\"."
        .formatted(ShownValue.text(reason(fault.getCause())));
  }

  /// Returns the problem behind an exception of the YAML parser.
  static FileProblem problem(String file, String text, YAMLException fault) {
    return switch (fault) {
      case MarkedYAMLException marked -> marked(file, marked);
      case ReaderException reader -> unprintable(file, text, reader);
      case StrangeTag strange -> at(file, strange.mark, strangeTag(strange));
      case Unsafe unsafe -> at(file, unsafe.mark, "is not safe to read: " + reason(fault) + ".");
      default -> FileProblem.ofFile(file, "is not safe to read: " + reason(fault) + ".");
    };
  }

  private static FileProblem marked(String file, MarkedYAMLException fault) {
    Mark mark = fault.getProblemMark() == null ? fault.getContextMark() : fault.getProblemMark();
    return at(file, mark, "is not YAML: " + wording(fault));
  }

  private static FileProblem at(String file, @Nullable Mark mark, String message) {
    int line = mark == null ? 1 : mark.getLine() + 1;
    int column = mark == null ? 1 : mark.getColumn() + 1;
    return new FileProblem(file, line, column, "", message);
  }

  private static String wording(MarkedYAMLException fault) {
    String problem = fault.getProblem() == null ? "" : fault.getProblem();
    if (problem.contains("\\t")) {
      return "a tab is not allowed here. Indent with spaces.";
    }
    if (problem.contains("mapping values are not allowed")) {
      return "a colon is not allowed here. The value needs quotes, or the indentation is wrong.";
    }
    String context = fault.getContext() == null ? "" : " " + fault.getContext();
    return ShownValue.text(problem)
        + context
        + ". Check the indentation, quotes and brackets before this place.";
  }

  private static FileProblem unprintable(String file, String text, ReaderException fault) {
    int offset =
        text.offsetByCodePoints(
            0, Math.min(fault.getPosition(), text.codePointCount(0, text.length())));
    String before = text.substring(0, offset);
    int line = (int) before.chars().filter(sign -> sign == '\n').count() + 1;
    int column = offset - (before.lastIndexOf('\n') + 1) + 1;
    String sign = String.format("U+%04X", fault.getCodePoint());
    return new FileProblem(
        file, line, column, "", "the character " + sign + " is not allowed in YAML.");
  }

  private static String reason(@Nullable Throwable fault) {
    String message = fault == null ? null : fault.getMessage();
    return message == null ? "no reason given" : message;
  }
}
