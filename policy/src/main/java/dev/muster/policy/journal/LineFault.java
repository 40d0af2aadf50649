package dev.muster.policy.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Builds messages about a faulty line of a journal.
///
/// @param file the journal as the user named it
/// @param line counted from 1
record LineFault(String file, int line) {

  private static final int LONGEST = 300;
  private static final Pattern MISSING =
      Pattern.compile(
          "(Null value for|Missing) (required )?creator property |Cannot map `null` into type ");

  /// Parts of Jackson's messages that name a class.
  private static final Pattern TYPE =
      Pattern.compile("^Cannot (?:deserialize value of type|construct instance of) `[^`]*`");

  private static final Pattern TOKEN = Pattern.compile(" \\(token `[^`]*`\\)");

  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

  MalformedJournal of(IOException fault) {
    return switch (fault) {
      case JsonMappingException mapping
          when mapping.getCause() instanceof StreamReadException bad ->
          at(column(mapping), path(mapping), notJson(bad));
      case JsonMappingException mapping -> at(column(mapping), path(mapping), wording(mapping));
      case JsonProcessingException bad -> at(column(bad), "", notJson(bad));
      case IOException other -> of(text(other.getMessage()));
    };
  }

  /// Reports a line with impossible values.
  MalformedJournal of(RuntimeException refused) {
    return refused instanceof IllegalArgumentException
        ? because(refused, String.valueOf(refused.getMessage()))
        : failed(refused);
  }

  /// Reports a line on which the scheduler fails.
  ///
  /// The reason may be this line, a line before it, or a bug of the scheduler; only the cause shows
  /// which.
  MalformedJournal failed(RuntimeException cause) {
    String reason =
        cause instanceof IllegalArgumentException ? cause.getMessage() : cause.toString();
    return because(
        cause,
        "The scheduler fails here (%s). If no line was edited, this is a bug in Muster; MUSTER_TRACE=1 shows where."
            .formatted(text(reason)));
  }

  private MalformedJournal because(RuntimeException cause, String message) {
    return new MalformedJournal(new FileProblem(file, line, 1, "", message), cause);
  }

  /// Reports a fault of the line as a whole.
  MalformedJournal of(String message) {
    return at(1, "", message);
  }

  private MalformedJournal at(int column, String field, String message) {
    return new MalformedJournal(new FileProblem(file, line, column, field, message));
  }

  private static int column(JsonProcessingException fault) {
    return fault.getLocation() == null ? 1 : Math.max(1, fault.getLocation().getColumnNr());
  }

  private static String path(JsonMappingException fault) {
    StringBuilder path = new StringBuilder();
    for (Reference step : fault.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return text(path.toString());
  }

  private static String notJson(JsonProcessingException fault) {
    return "is not JSON: " + text(fault.getOriginalMessage()) + ".";
  }

  private static String wording(JsonMappingException fault) {
    return switch (fault) {
      case InvalidTypeIdException unknown ->
          "unknown type \"%s\". Known: %s. A newer version of Muster may have written it."
              .formatted(text(unknown.getTypeId()), cases(unknown));
      case UnrecognizedPropertyException unknown ->
          "unknown field. Known: %s. A newer version of Muster may have written it."
              .formatted(unknown.getKnownPropertyIds());
      case InvalidNullException _ -> "is null.";
      case ValueInstantiationException refused
          when refused.getCause() instanceof IllegalArgumentException reason ->
          text(reason.getMessage());
      case MismatchedInputException lacking when MISSING.matcher(message(lacking)).lookingAt() ->
          "the field is missing.";
      default -> sentence(fault);
    };
  }

  private static String message(JsonMappingException fault) {
    return Objects.requireNonNullElse(fault.getOriginalMessage(), "");
  }

  private static String sentence(JsonMappingException fault) {
    String message =
        text(
            TOKEN
                .matcher(TYPE.matcher(message(fault)).replaceFirst("cannot be read"))
                .replaceFirst(""));
    return message.endsWith(".") ? message : message + ".";
  }

  private static List<String> cases(InvalidTypeIdException unknown) {
    return SealedTypeModule.cases(unknown.getBaseType().getRawClass());
  }

  private static String text(@Nullable String message) {
    String line =
        CONTROL.matcher(Optional.ofNullable(message).orElse("no reason given")).replaceAll(" ");
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
  }
}
