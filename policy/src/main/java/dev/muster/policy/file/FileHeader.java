package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.policy.yaml.FileProblem;
import dev.muster.policy.yaml.ShownValue;
import dev.muster.policy.yaml.YamlDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The `apiVersion` and `kind` that a document declares, matched against the supported kinds.
///
/// @param kind the kind to check the document against, even if its `apiVersion` is wrong; empty if
///   that would only report misleading problems
/// @param problems the problems of `apiVersion` and `kind`
record FileHeader<T>(Optional<FileKind<? extends T>> kind, List<FileProblem> problems) {

  private static final JsonPointer API_VERSION = JsonPointer.compile("/apiVersion");
  private static final JsonPointer KIND = JsonPointer.compile("/kind");

  static <T> FileHeader<T> of(YamlDocument document, List<FileKind<? extends T>> kinds) {
    JsonNode root = document.root();
    if (!root.isObject()) {
      String message = "the file must be a mapping of fields. " + remedy(kinds);
      return new FileHeader<>(
          Optional.empty(), List.of(document.atValue(JsonPointer.empty(), message)));
    }
    List<FileProblem> problems = new ArrayList<>();
    String kind = root.path("kind").asText();
    List<FileKind<? extends T>> named =
        kinds.stream().filter(known -> known.header().kind().equals(kind)).toList();
    List<FileKind<? extends T>> exact =
        named.stream().filter(k -> says(root.path("apiVersion"), k)).toList();
    if (named.isEmpty()) {
      problems.add(document.atValue(KIND, wrong(root.path("kind")) + remedy(kinds)));
    }
    if (!isKnownVersion(root.path("apiVersion"), named.isEmpty() ? kinds : named)) {
      String message = wrong(root.path("apiVersion")) + remedy(named.isEmpty() ? kinds : named);
      problems.add(document.atValue(API_VERSION, message));
    }
    boolean unnamed = root.path("kind").isMissingNode();
    return new FileHeader<>(only(unnamed ? kinds : exact.isEmpty() ? named : exact), problems);
  }

  /// Returns the sentence that lists the supported headers.
  static <T> String remedy(List<FileKind<? extends T>> kinds) {
    return "Supported: "
        + kinds.stream().map(kind -> kind.header().toString()).collect(Collectors.joining("; "))
        + ".";
  }

  private static String wrong(JsonNode value) {
    return value.isMissingNode() || value.isNull()
        ? "is missing. "
        : ShownValue.of(value) + " is not supported. ";
  }

  private static <T> boolean isKnownVersion(JsonNode version, List<FileKind<? extends T>> kinds) {
    return kinds.stream().anyMatch(kind -> says(version, kind));
  }

  private static boolean says(JsonNode version, FileKind<?> kind) {
    return version.isTextual() && version.asText().equals(kind.header().apiVersion());
  }

  private static <T> Optional<FileKind<? extends T>> only(List<FileKind<? extends T>> kinds) {
    return kinds.size() == 1 ? Optional.of(kinds.getFirst()) : Optional.empty();
  }
}
