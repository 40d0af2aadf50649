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
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Checks documents against a JSON Schema and says in words what does not fit. */
final class SchemaCheck {

  /** Of several objections to one value only the first in this order is told. */
  private static final List<String> TELLING_ORDER =
      List.of("type", "not", "enum", "const", "format", "pattern");

  /** {@link FileHeader} tells about these. */
  private static final Set<JsonPointer> HEADER =
      Set.of(JsonPointer.compile("/apiVersion"), JsonPointer.compile("/kind"));

  private final JsonSchema schema;
  private final Wording wording;

  /**
   * @param formats by the name a schema uses, parsers that throw {@link IllegalArgumentException} with
   *     the message to show if a text is not well formed
   */
  SchemaCheck(SchemaText text, Map<String, Consumer<String>> formats) {
    JsonMetaSchema standard = JsonMetaSchema.getV202012();
    JsonMetaSchema.Builder dialect =
        JsonMetaSchema.builder(standard).keyword(new NonValidationKeyword(Wording.REMEDY));
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
        .locale(Locale.ROOT)
        .build();
  }

  /** Everything in {@code document} that does not fit the schema, one problem per place. */
  List<FileProblem> problems(YamlDocument document) {
    Map<JsonPointer, ValidationMessage> worst = new HashMap<>();
    for (ValidationMessage objection : schema.validate(document.root())) {
      worst.merge(place(objection), objection, SchemaCheck::moreTelling);
    }
    worst.keySet().removeAll(HEADER);
    Collection<ValidationMessage> objections = worst.values();
    return objections.stream().map(objection -> problem(document, objection)).toList();
  }

  private FileProblem problem(YamlDocument document, ValidationMessage objection) {
    JsonPointer place = place(objection);
    JsonNode value = document.root().at(place);
    String message = wording.of(objection, value);
    return Wording.isAboutName(objection)
        ? document.atKey(place, message)
        : document.atValue(place, message);
  }

  /** The value objected to: for an unknown or missing field this field, not its parent. */
  private static JsonPointer place(ValidationMessage objection) {
    JsonPointer instance = JsonPointer.compile(objection.getInstanceLocation().toString());
    return objection.getProperty() == null
        ? instance
        : instance.appendProperty(objection.getProperty());
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
