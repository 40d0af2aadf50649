package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/// A kind of file that admins write: its `apiVersion` and `kind`, its JSON Schema, and the record
/// it is read into.
///
/// Defaults come from the `default`s of the schema, so the record needs none. Texts whose schema
/// has the format {@value #DURATION} or {@value #POSITIVE_DURATION} are checked by [Durations],
/// those with {@value #TIME} by [Times]. Making a kind compiles its schema: keep it in a constant.
///
/// @param <T> the record; without components for `apiVersion` and `kind`
public final class FileKind<T> {

  /// In schemas, the `format` of durations.
  public static final String DURATION = "muster-duration";

  /// In schemas, the `format` of durations that must not be zero.
  public static final String POSITIVE_DURATION = "muster-positive-duration";

  /// In schemas, the `format` of times.
  public static final String TIME = "muster-time";

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new DurationModule())
          .addModule(new Jdk8Module())
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .build();

  private final Header header;
  private final Class<T> type;
  private final SchemaText schema;
  private final SchemaCheck check;
  private final Function<JsonNode, List<Fault>> rules;

  /// The two fields that tell what a file is.
  public record Header(String apiVersion, String kind) {
    @Override
    public String toString() {
      return "apiVersion: " + apiVersion + ", kind: " + kind;
    }
  }

  private FileKind(
      Header header,
      Class<T> type,
      SchemaText schema,
      SchemaCheck check,
      Function<JsonNode, List<Fault>> rules) {
    this.header = header;
    this.type = type;
    this.schema = schema;
    this.check = check;
    this.rules = rules;
  }

  /// A kind of file without formats of its own.
  ///
  /// @param schema the name of the schema's resource beside `type`
  public static <T> FileKind<T> of(Header header, Class<T> type, String schema) {
    return of(header, type, schema, Map.of());
  }

  /// A kind of file.
  ///
  /// @param schema the name of the schema's resource beside `type`
  /// @param formats by the name a schema uses, parsers that throw [IllegalArgumentException] with
  ///     the message to show if a text is not well formed
  public static <T> FileKind<T> of(
      Header header, Class<T> type, String schema, Map<String, Consumer<String>> formats) {
    Map<String, Consumer<String>> all = new HashMap<>(formats);
    all.put(DURATION, Durations::parse);
    all.put(POSITIVE_DURATION, Durations::parsePositive);
    all.put(TIME, Times::parse);
    SchemaText text = SchemaText.beside(type, schema);
    SchemaCheck check = new SchemaCheck(text, Map.copyOf(all));
    return new FileKind<>(header, type, text, check, _ -> List.of());
  }

  /// The same kind with rules about how fields agree, which a schema cannot state.
  ///
  /// @param agreement what is wrong with a document, by the field to name; asked of any document,
  ///     also one that does not fit the schema
  public FileKind<T> agreeing(Function<JsonNode, Map<JsonPointer, String>> agreement) {
    return faultedBy(document ->
        agreement.apply(document).entrySet().stream()
            .map(fault -> new Fault(fault.getKey(), fault.getValue()))
            .toList());
  }

  /// The same kind with rules that a schema cannot state, and that may name places inside texts.
  ///
  /// @param faults what is wrong with a document; asked of any document, also one that does not fit
  ///     the schema
  public FileKind<T> faultedBy(Function<JsonNode, List<Fault>> faults) {
    return new FileKind<>(header, type, schema, check, faults);
  }

  /// What a file of this kind says of itself.
  public Header header() {
    return header;
  }

  /// What does not fit the schema in one file.
  List<FileProblem> misfits(YamlDocument document) {
    return check.problems(document);
  }

  /// What the rules say of the documents of all files together.
  List<FileProblem> disagreements(YamlDocument merged) {
    return rules.apply(merged.root()).stream().map(merged::at).toList();
  }

  /// The documents of several files as one.
  YamlDocument merged(List<YamlDocument> documents) {
    return Merge.of(documents, schema);
  }

  /// Binds a document without problems; what the constructors refuse is a problem too.
  Loaded<T> bind(YamlDocument document, String revision) {
    ObjectNode fields = document.root().deepCopy();
    schema.fillDefaults(fields);
    fields.remove(List.of("apiVersion", "kind"));
    try {
      return new Loaded.Valid<>(MAPPER.treeToValue(fields, type), revision);
    } catch (JsonProcessingException refused) {
      return new Loaded.Invalid<>(List.of(document.atValue(place(refused), reason(refused))));
    }
  }

  private static String reason(JsonProcessingException refused) {
    Throwable deepest = refused;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    return deepest instanceof JsonProcessingException json
        ? json.getOriginalMessage()
        : Objects.requireNonNullElse(deepest.getMessage(), deepest.toString());
  }

  private static JsonPointer place(JsonProcessingException refused) {
    JsonPointer pointer = JsonPointer.empty();
    if (refused instanceof JsonMappingException mapping) {
      for (JsonMappingException.Reference step : mapping.getPath()) {
        pointer =
            step.getFieldName() == null
                ? pointer.appendIndex(Math.max(0, step.getIndex()))
                : pointer.appendProperty(step.getFieldName());
      }
    }
    return pointer;
  }
}
