package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Format;
import com.networknt.schema.JsonMetaSchema;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.NonValidationKeyword;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.regex.RegularExpression;
import dev.muster.policy.yaml.FileProblem;
import dev.muster.policy.yaml.YamlDocument;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// Checks documents against a JSON Schema and words each mismatch as a problem.
final class SchemaCheck {

  /// Of several objections to one value only the first in this order is reported.
  private static final List<String> TELLING_ORDER =
      List.of("type", "not", "enum", "const", "format", "pattern");

  /// Fields that [FileHeader] checks.
  private static final Set<JsonPointer> HEADER =
      Set.of(JsonPointer.compile("/apiVersion"), JsonPointer.compile("/kind"));

  private final JsonSchema schema;
  private final Wording wording;

  /// @param formats parsers by format name; a parser throws [IllegalArgumentException] with the
  ///   message to show if a text is not well formed
  SchemaCheck(SchemaText text, Map<String, Consumer<String>> formats) {
    JsonMetaSchema standard = JsonMetaSchema.getV202012();
    JsonMetaSchema.Builder dialect =
        JsonMetaSchema.builder(standard)
            .keyword(new NonValidationKeyword(Wording.REMEDY))
            .keyword(new NonValidationKeyword(Merge.CONTINUED));
    formats.forEach((name, parser) -> dialect.format(new ParsedFormat(name, parser)));
    JsonSchemaFactory factory =
        JsonSchemaFactory.builder()
            .metaSchema(dialect.build())
            .defaultMetaSchemaIri(standard.getIri())
            .build();
    schema = factory.getSchema(text.root(), config());
    wording = new Wording(text, formats);
  }

  private static SchemaValidatorsConfig config() {
    return SchemaValidatorsConfig.builder()
        .pathType(PathType.JSON_POINTER)
        .formatAssertionsEnabled(true)
        .regularExpressionFactory(SchemaCheck::regularExpression)
        .locale(Locale.ROOT)
        .build();
  }

  /// Compiles a pattern with a final `$` that matches only the end of the text.
  ///
  /// In Java `$` also matches before a final line break.
  private static RegularExpression regularExpression(String regex) {
    boolean toTheEnd = regex.endsWith("$") && !regex.endsWith("\\$");
    String exact = toTheEnd ? regex.substring(0, regex.length() - 1) + "\\z" : regex;
    Pattern pattern = Pattern.compile(exact);
    return value -> pattern.matcher(value).find();
  }

  /// Returns everything in `document` that does not fit the schema, one problem per place.
  List<FileProblem> problems(YamlDocument document) {
    Map<JsonPointer, ValidationMessage> worst = new HashMap<>();
    for (ValidationMessage objection : schema.validate(document.root())) {
      worst.merge(place(document, objection), objection, SchemaCheck::moreTelling);
    }
    worst.keySet().removeAll(HEADER);
    return worst.entrySet().stream()
        .map(entry -> problem(document, entry.getKey(), entry.getValue()))
        .toList();
  }

  private FileProblem problem(
      YamlDocument document, JsonPointer place, ValidationMessage objection) {
    String message = wording.of(objection, document.root().at(place));
    return Wording.isAboutName(objection)
        ? document.atKey(place, message)
        : document.atValue(place, message);
  }

  /// Returns the place of the unknown, missing or repeated value itself, not of its container.
  private static JsonPointer place(YamlDocument document, ValidationMessage objection) {
    JsonPointer instance = JsonPointer.compile(objection.getInstanceLocation().toString());
    if (objection.getType().equals("uniqueItems")) {
      return instance.appendIndex(firstRepeated(document.root().at(instance)));
    }
    return objection.getProperty() == null
        ? instance
        : instance.appendProperty(objection.getProperty());
  }

  private static int firstRepeated(JsonNode list) {
    Set<JsonNode> seen = new HashSet<>();
    int index = 0;
    while (index < list.size() - 1 && seen.add(list.get(index))) {
      index++;
    }
    return index;
  }

  private static ValidationMessage moreTelling(ValidationMessage a, ValidationMessage b) {
    return Comparator.comparingInt(SchemaCheck::rank).compare(a, b) <= 0 ? a : b;
  }

  private static int rank(ValidationMessage objection) {
    int rank = TELLING_ORDER.indexOf(objection.getType());
    return rank < 0 ? TELLING_ORDER.size() : rank;
  }

  private record ParsedFormat(String name, Consumer<String> parser) implements Format {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean matches(ExecutionContext context, String value) {
      try {
        parser.accept(value);
        return true;
      } catch (IllegalArgumentException refused) {
        return false;
      }
    }
  }
}
