package dev.muster.policy.file;

import dev.muster.policy.file.YamlDocument.Spot;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/// Words the YAML faults of a text for admins.
final class YamlFaults {

  static final String SECOND_DOCUMENT =
      "a second document starts here, but a file holds one. Maybe move it to a file of its own.";

  static final String MERGE_KEY = "merge keys are not supported. Maybe write the fields out here.";

  private YamlFaults() {}

  static String duplicate(Spot first) {
    return "is written twice, first on line "
        + first.line()
        + ". Maybe remove one of them, or merge the two.";
  }

  static String tag(String tag) {
    return "the tag \"" + ShownValue.text(tag) + "\" is not supported. Maybe remove it.";
  }

  /// Returns the message for a tag that the parser refuses without giving a place.
  static String strangeTag(IllegalArgumentException fault) {
    return "has a tag that is none: %s Maybe quote a value that begins with \"!\"."
        .formatted(reason(fault));
  }

  /// Returns the problem behind an exception of the YAML parser.
  static FileProblem problem(String file, String text, YAMLException fault) {
    return switch (fault) {
      case MarkedYAMLException marked -> marked(file, marked);
      case ReaderException reader -> unprintable(file, text, reader);
      default -> FileProblem.ofFile(file, "is not safe to read: " + reason(fault) + ".");
    };
  }

  private static FileProblem marked(String file, MarkedYAMLException fault) {
    Mark mark = fault.getProblemMark() == null ? fault.getContextMark() : fault.getProblemMark();
    int line = mark == null ? 1 : mark.getLine() + 1;
    int column = mark == null ? 1 : mark.getColumn() + 1;
    return new FileProblem(file, line, column, "", "is not YAML: " + wording(fault));
  }

  private static String wording(MarkedYAMLException fault) {
    String problem = fault.getProblem() == null ? "" : fault.getProblem();
    if (problem.contains("\\t")) {
      return "there is a tab. Indent with spaces: YAML does not allow tabs.";
    }
    if (problem.contains("mapping values are not allowed")) {
      return "a colon is not allowed here. Maybe quote the value, or correct the indentation.";
    }
    String context = fault.getContext() == null ? "" : " " + fault.getContext();
    return ShownValue.text(problem)
        + context
        + ". Maybe the indentation is wrong, or a quote or bracket is not closed.";
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
        file, line, column, "", "the sign " + sign + " is not allowed in YAML. Maybe remove it.");
  }

  private static String reason(@Nullable Throwable fault) {
    String message = fault == null ? null : fault.getMessage();
    return message == null ? "no reason is known" : ShownValue.text(message);
  }
}
