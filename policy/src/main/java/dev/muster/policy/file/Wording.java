package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.ValidationMessage;
import dev.muster.policy.yaml.ShownValue;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Turns a validator's objection into a sentence with the value and a remedy.
///
/// A schema may give the remedy itself under {@value #REMEDY}, as a whole sentence.
final class Wording {

  /// The schema keyword with the sentence to add to every objection to a value.
  static final String REMEDY = "x-remedy";

  /// Octal, hexadecimal and grouped numbers, which other YAML readers accept.
  private static final Pattern OTHER_DIGITS =
      Pattern.compile("[-+]?(0[0-9]+|0[xXoObB][0-9a-fA-F]+|[0-9]+(_[0-9]+)+)");

  /// Long whole numbers, which [PlainScalars] reads as text.
  private static final Pattern MANY_DIGITS = Pattern.compile("[-+]?[1-9][0-9]{30,}");

  private final SchemaText schema;
  private final Map<String, Consumer<String>> formats;

  Wording(SchemaText schema, Map<String, Consumer<String>> formats) {
    this.schema = schema;
    this.formats = formats;
  }

  /// True if the objection is to the name of a field rather than to its value.
  static boolean isAboutName(ValidationMessage objection) {
    return isUnknownField(objection)
        || objection.getType().equals("not")
        || objection.getType().equals("propertyNames");
  }

  private static boolean isUnknownField(ValidationMessage objection) {
    return objection.getType().equals("additionalProperties")
        || objection.getType().equals("unevaluatedProperties");
  }

  /// Returns the message for `objection` to `value`, without field path and place.
  String of(ValidationMessage objection, JsonNode value) {
    JsonNode owner = owner(objection);
    JsonNode limit = owner.path(objection.getType());
    String shown = ShownValue.of(value);
    String message =
        switch (objection.getType()) {
          case "additionalProperties", "unevaluatedProperties" -> unknown(objection, owner);
          case "required" -> "is missing. " + remedy(owner, "");
          case "dependentRequired" -> dependent(objection, limit);
          case "type" -> type(value, limit, owner);
          case "enum" -> notAmong(value, limit);
          case "const" -> shown + " must be " + ShownValue.of(limit) + ".";
          case "format" -> format(value, owner);
          case "pattern" ->
              shown
                  + " is not well formed. "
                  + remedy(owner, "It must match " + limit.asText() + ".");
          case "propertyNames" ->
              "this name is not well formed. "
                  + remedy(limit, "It must match " + limit.path("pattern").asText() + ".");
          case "minimum" -> range(shown, "small", "at least", limit);
          case "exclusiveMinimum" -> range(shown, "small", "more than", limit);
          case "maximum" -> range(shown, "large", "at most", limit);
          case "exclusiveMaximum" -> range(shown, "large", "less than", limit);
          case "minLength" -> shown + " is too short. " + remedy(owner, "");
          case "maxLength" ->
              shown + " is too long: at most " + limit + " characters. " + remedy(owner, "");
          case "minItems" -> "the list is too short: at least " + limit + " needed.";
          case "maxItems" -> "the list is too long: at most " + limit + " allowed.";
          case "uniqueItems" -> shown + " is listed twice.";
          case "not" -> remedy(owner, "this combination of fields is not allowed.");
          default -> shown + " does not fit: " + objection.getError() + ". " + remedy(owner, "");
        };
    return message.strip();
  }

  private JsonNode owner(ValidationMessage objection) {
    String keyword = objection.getSchemaLocation().getFragment().toString();
    JsonPointer owner = JsonPointer.compile(keyword).head();
    return schema.at(owner == null ? JsonPointer.empty() : owner);
  }

  private static String remedy(JsonNode owner, String otherwise) {
    return owner.path(REMEDY).asText(otherwise);
  }

  private String unknown(ValidationMessage objection, JsonNode owner) {
    String name = objection.getProperty();
    List<String> known = SchemaText.fields(owner);
    Optional<String> near = NearestWord.to(name, known);
    if (near.isPresent()) {
      return "unknown field. Did you mean `" + near.get() + "`?";
    }
    List<String> elsewhere = schema.pathsOf(name);
    return elsewhere.isEmpty()
        ? "unknown field. Known here: " + String.join(", ", known) + "."
        : "unknown field here. Did you mean `" + elsewhere.getFirst() + "`?";
  }

  private static String dependent(ValidationMessage objection, JsonNode limit) {
    String missing = objection.getProperty();
    String given =
        limit
            .propertyStream()
            .filter(
                entry -> entry.getValue().valueStream().anyMatch(v -> v.asText().equals(missing)))
            .map(Map.Entry::getKey)
            .collect(Collectors.joining(", "));
    return "is missing, but required with " + given + ".";
  }

  private static String type(JsonNode value, JsonNode types, JsonNode owner) {
    if (value.isNull()) {
      return "has no value. Remove the line to use the default.";
    }
    String expected =
        types.isArray()
            ? types
                .valueStream()
                .map(type -> typeName(type.asText()))
                .collect(Collectors.joining(" or "))
            : typeName(types.asText());
    String wrong = ShownValue.of(value) + " must be " + expected + ". ";
    return (wrong + remedy(owner, typeRemedy(value, types.asText()))).strip();
  }

  private static String typeName(String type) {
    return switch (type) {
      case "object" -> "a mapping (fields indented below it)";
      case "array" -> "a list";
      case "integer" -> "a whole number";
      case "number" -> "a number";
      case "boolean" -> "true or false";
      case "string" -> "text";
      default -> type;
    };
  }

  private static String typeRemedy(JsonNode value, String expected) {
    if (!value.isValueNode()) {
      return "";
    }
    return switch (expected) {
      case "array" -> "Did you mean [" + ShownValue.text(value.asText()) + "]?";
      case "string" -> "Put it in quotes: " + quoted(value) + ".";
      case "integer", "number" -> numberRemedy(value.asText());
      case "boolean" -> "Write true or false, without quotes.";
      default -> "";
    };
  }

  private static String numberRemedy(String written) {
    if (OTHER_DIGITS.matcher(written).matches()) {
      return "Write it in decimal digits, without leading zeros and underscores.";
    }
    return MANY_DIGITS.matcher(written).matches()
        ? "Write it with fewer digits: at most 30 are read."
        : "Write it without quotes and units.";
  }

  private static String quoted(JsonNode value) {
    return "\"" + ShownValue.text(value.asText()) + "\"";
  }

  private static String notAmong(JsonNode value, JsonNode allowed) {
    List<String> words = allowed.valueStream().map(JsonNode::asText).toList();
    String unknown = ShownValue.of(value) + " is not known. ";
    return unknown
        + NearestWord.to(value.asText(), words)
            .map(near -> "Did you mean \"" + near + "\"?")
            .orElse("Allowed: " + String.join(", ", words) + ".");
  }

  private String format(JsonNode value, JsonNode owner) {
    Consumer<String> parser = formats.get(owner.path("format").asText());
    if (parser != null && ShownValue.isShort(value.asText())) {
      try {
        parser.accept(value.asText());
      } catch (IllegalArgumentException refused) {
        return Objects.requireNonNullElse(refused.getMessage(), "is refused.");
      }
    }
    return ShownValue.of(value) + " is not well formed. " + remedy(owner, "");
  }

  private static String range(String shown, String size, String bound, JsonNode limit) {
    return shown + " is too " + size + ": " + bound + " " + limit.asText() + ".";
  }
}
