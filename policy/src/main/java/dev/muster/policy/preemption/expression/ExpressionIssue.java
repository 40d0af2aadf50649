package dev.muster.policy.preemption.expression;

import dev.cel.common.CelIssue;
import dev.cel.runtime.CelEvaluationException;
import dev.muster.policy.file.NearestWord;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A fault of an expression, worded for admins.
///
/// @param offset its position, in code points from 0
/// @param message one or two sentences
public record ExpressionIssue(int offset, String message) {
  private static final List<String> FIELDS =
      Arrays.stream(ExpressionGang.class.getRecordComponents())
          .map(RecordComponent::getName)
          .toList();
  private static final Pattern FIELD = Pattern.compile("undefined field '(.*)'");
  private static final Pattern NAME = Pattern.compile("undeclared reference to '([^']*)'.*");
  private static final Pattern OVERLOAD =
      Pattern.compile("found no matching overload for '(.*)' applied to '\\((.*)\\)' .*");
  private static final Pattern RESULT =
      Pattern.compile("expected type '.*' but found '(.*)'", Pattern.DOTALL);
  private static final Pattern PLACE = Pattern.compile("^evaluation error( at <input>:\\d+)?: ");

  /// CEL's message for a missing `labels.x`; for `labels['x']` it is only the key.
  private static final Pattern ABSENT = Pattern.compile("^key '(.*)' is not present in map\\.$");

  private static final Map<String, String> TYPES =
      Map.of(
          ExpressionGang.class.getCanonicalName(),
          "a gang",
          "google.protobuf.Duration",
          "duration",
          "google.protobuf.Timestamp",
          "timestamp",
          "optional_type",
          "optional");

  static ExpressionIssue of(String text, ExpressionType type, CelIssue issue) {
    int line = issue.getSourceLocation().getLine();
    int column = issue.getSourceLocation().getColumn();
    return new ExpressionIssue(
        offset(text, line, column), message(text, type, plain(issue.getMessage())));
  }

  private static int offset(String text, int line, int column) {
    int[] signs = text.codePoints().toArray();
    int at = 0;
    for (int left = Math.max(1, line) - 1; left > 0 && at < signs.length; at++) {
      left -= signs[at] == '\n' ? 1 : 0;
    }
    return Math.min(signs.length, at + Math.max(0, column));
  }

  private static String message(String text, ExpressionType type, String issue) {
    Matcher field = FIELD.matcher(issue);
    if (field.matches()) {
      return "a gang has no `%s`. %s".formatted(field.group(1), hint(field.group(1), FIELDS));
    }
    Matcher name = NAME.matcher(issue);
    if (name.matches()) {
      List<String> known =
          type.ofPairs() ? List.of("preemptor", "victim", "now") : List.of("preemptor");
      return "`%s` is not known here. %s".formatted(name.group(1), hint(name.group(1), known));
    }
    Matcher result = RESULT.matcher(issue);
    if (result.matches()) {
      return "the expression must result in %s, but results in %s. %s"
          .formatted(type.spoken(), result.group(1), type.remedy());
    }
    Matcher overload = OVERLOAD.matcher(issue);
    if (overload.matches()) {
      return "%s is not defined for (%s). %s"
          .formatted(
              overload.group(1).replace("_", ""), overload.group(2), remedy(overload.group(2)));
    }
    if (issue.startsWith("duration validation failed")) {
      return "a duration in an expression is written like duration('1h30m'), with h, m and s.";
    }
    if (issue.startsWith("For input string")) {
      return "a number is too large: whole numbers range from -9223372036854775808 to 9223372036854775807.";
    }
    if (issue.contains("<EOF>")) {
      return "is not an expression: something is missing at its end.";
    }
    return "is not an expression: %s."
        .formatted(
            text.isBlank() ? "it is empty" : issue.lines().findFirst().orElse(issue).strip());
  }

  private static String remedy(String types) {
    if (types.contains("optional")) {
      return "Add .orValue(...) to values that may be unknown.";
    }
    return types.contains("duration")
        ? "Write a duration like duration('30m')."
        : "Convert one of them, as in int(x) or string(x).";
  }

  private static String hint(String word, List<String> known) {
    return NearestWord.to(word, known)
        .map(near -> "Did you mean `" + near + "`?")
        .orElse("Known: " + String.join(", ", known) + ".");
  }

  private static String plain(String message) {
    String plain = message;
    for (Map.Entry<String, String> type : TYPES.entrySet()) {
      plain = plain.replace(type.getKey(), type.getValue());
    }
    int expecting = plain.indexOf(" expecting {");
    return expecting < 0 ? plain : plain.substring(0, expecting);
  }

  private static String absent(String key) {
    return "there is no `%s`. Check first, as in '%s' in victim.labels".formatted(key, key);
  }

  /// Returns the reason of a failed evaluation, as one sentence.
  static String reason(CelEvaluationException failed) {
    String detail = PLACE.matcher(String.valueOf(failed.getMessage())).replaceFirst("");
    return switch (failed.getErrorCode()) {
      case ATTRIBUTE_NOT_FOUND -> absent(ABSENT.matcher(detail).replaceFirst("$1"));
      case DIVIDE_BY_ZERO -> "it divides by zero";
      case NUMERIC_OVERFLOW -> "a number is too large";
      case ITERATION_BUDGET_EXCEEDED ->
          "its loops take more than %d rounds".formatted(ExpressionCompiler.MOST_ITERATIONS);
      default ->
          detail.startsWith("Function 'value' failed")
              ? "the value is unknown. Use .orValue(...) instead of .value()"
              : detail;
    };
  }
}
