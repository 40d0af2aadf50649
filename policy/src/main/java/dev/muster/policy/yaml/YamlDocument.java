package dev.muster.policy.yaml;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/// A YAML document as a tree, with the place of every field in the text.
///
/// @param file the file as the admin named it
/// @param root the tree; a missing node if there is no document
/// @param places the place of each field of the tree
/// @param texts the text of each file that the tree comes from, by file name
/// @param problems the YAML problems of the text; the tree may still be worth checking
public record YamlDocument(
    String file,
    JsonNode root,
    Map<JsonPointer, Place> places,
    Map<String, String> texts,
    List<FileProblem> problems) {

  public YamlDocument {
    places = Map.copyOf(places);
    texts = Map.copyOf(texts);
    problems = List.copyOf(problems);
  }

  /// A line and a column, both counted from 1.
  public record Spot(int line, int column) {
    public static final Spot START = new Spot(1, 1);
  }

  /// The place of a field.
  ///
  /// @param file the file
  /// @param field its path as messages show it
  /// @param key the start of its name; equals `value` for a list item
  /// @param value the start of its value; equals `key` if the value is empty or a mapping or list
  ///   on lines of its own
  public record Place(String file, String field, Spot key, Spot value) {}

  /// Creates a problem with the value of a field, or of its nearest enclosing field if it is
  /// missing.
  public FileProblem atValue(JsonPointer pointer, String message) {
    Place place = enclosing(pointer);
    return at(place.file(), place.value(), fieldName(pointer), message);
  }

  /// Creates a problem with a value, or with a position inside a text.
  public FileProblem at(FieldFault fault) {
    FileProblem whole = atValue(fault.field(), fault.message());
    Place place = places.get(fault.field());
    String text = root.at(fault.field()).asText();
    if (place == null || fault.offset() < 0) {
      return whole;
    }
    Spot spot =
        TextPosition.of(texts.getOrDefault(place.file(), ""), place.value(), text, fault.offset());
    return at(place.file(), spot, whole.field(), fault.message());
  }

  /// Creates a problem with the name of a field.
  public FileProblem atKey(JsonPointer pointer, String message) {
    Place place = enclosing(pointer);
    return at(place.file(), place.key(), fieldName(pointer), message);
  }

  private static FileProblem at(String file, Spot spot, String field, String message) {
    return new FileProblem(file, spot.line(), spot.column(), field, message);
  }

  private Place enclosing(JsonPointer pointer) {
    for (JsonPointer at = pointer; at != null; at = at.head()) {
      Place place = places.get(at);
      if (place != null) {
        return place;
      }
    }
    return new Place(file, "", Spot.START, Spot.START);
  }

  private String fieldName(JsonPointer pointer) {
    Place place = places.get(pointer);
    if (place != null) {
      return place.field();
    }
    JsonPointer last = pointer.last();
    JsonPointer head = pointer.head();
    return last == null || head == null
        ? ""
        : FieldPath.child(fieldName(head), last.getMatchingProperty());
  }
}
