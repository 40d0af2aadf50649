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
import dev.muster.policy.yaml.FieldFault;
import dev.muster.policy.yaml.FileProblem;
import dev.muster.policy.yaml.YamlDocument;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/// A kind of file that admins write: header, JSON Schema, and the record it is read into.
///
/// The header is `apiVersion` and `kind`. Defaults come from the `default`s of the schema, so the
/// record needs none. [Durations] checks texts whose schema has the format {@value #DURATION} or
/// {@value #POSITIVE_DURATION}; [Times] checks {@value #TIME}. Creating a kind compiles its schema:
/// keep it in a constant.
///
/// @param <T> the record; without components for `apiVersion` and `kind`
public final class FileKind<T> {

  /// The `format` of durations in schemas.
  public static final String DURATION = "muster-duration";

  /// The `format` of durations longer than zero in schemas.
  public static final String POSITIVE_DURATION = "muster-positive-duration";

  /// The `format` of times in schemas.
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
  private final Function<JsonNode, List<FieldFault>> rules;

  /// The two fields that identify the kind of a file.
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
      Function<JsonNode, List<FieldFault>> rules) {
    this.header = header;
    this.type = type;
    this.schema = schema;
    this.check = check;
    this.rules = rules;
  }

  /// Creates a kind of file without formats of its own.
  ///
  /// @param schema the name of the schema's resource beside `type`
  public static <T> FileKind<T> of(Header header, Class<T> type, String schema) {
    return of(header, type, schema, Map.of());
  }

  /// Creates a kind of file.
  ///
  /// @param schema the name of the schema's resource beside `type`
  /// @param formats parsers by format name; a parser throws [IllegalArgumentException] with the
  ///   message to show if a text is not well formed
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

  /// Returns this kind with rules about how fields agree, which a schema cannot state.
  ///
  /// @param agreement returns the faults of a document by field; called with any document, also one
  ///   that does not fit the schema
  public FileKind<T> agreeing(Function<JsonNode, Map<JsonPointer, String>> agreement) {
    return faultedBy(document ->
        agreement.apply(document).entrySet().stream()
            .map(fault -> new FieldFault(fault.getKey(), fault.getValue()))
            .toList());
  }

  /// Returns this kind with rules that a schema cannot state. A fault may point inside a text.
  ///
  /// @param faults returns the faults of a document; called with any document, also one that does
  ///   not fit the schema
  public FileKind<T> faultedBy(Function<JsonNode, List<FieldFault>> faults) {
    return new FileKind<>(header, type, schema, check, faults);
  }

  /// Returns the `apiVersion` and `kind` of files of this kind.
  public Header header() {
    return header;
  }

  /// Returns everything in one file that does not fit the schema.
  List<FileProblem> misfits(YamlDocument document) {
    return check.problems(document);
  }

  /// Returns the broken rules of the merged documents of all files.
  List<FileProblem> disagreements(YamlDocument merged) {
    return rules.apply(merged.root()).stream().map(merged::at).toList();
  }

  /// Merges the documents of several files into one.
  YamlDocument merged(List<YamlDocument> documents) {
    return Merge.of(documents, schema);
  }

  /// Binds a document without problems to the record. A constructor that refuses it is a problem
  /// too.
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
        : FailureText.sentence(deepest);
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
