package dev.muster.server.kube.parse;

import java.util.HashSet;
import java.util.Set;

/// The fields of an object that are read. All others are skipped, however large they are.
///
/// @param read the fields that are read beside the metadata, such as `spec.replicas`, and the
///   objects that they are in; empty for all
/// @param unread names of fields that are skipped wherever they are in the spec
public record FieldSelection(Set<String> read, Set<String> unread) {
  /// All fields.
  public static final FieldSelection ALL = new FieldSelection(Set.of(), Set.of());

  private static final Set<String> ALWAYS = Set.of("apiVersion", "kind", "metadata");

  public FieldSelection {
    read = Set.copyOf(read);
    unread = Set.copyOf(unread);
  }

  /// Returns all fields, except those with these names in the spec.
  public FieldSelection without(Set<String> names) {
    return new FieldSelection(read, names);
  }

  /// Returns the selection of only these fields, without those that it skips itself.
  ///
  /// @param paths paths of fields; of those in the spec or status, the first two names count
  public FieldSelection only(Set<String> paths) {
    Set<String> all = new HashSet<>(ALWAYS);
    for (String path : paths) {
      String[] names = path.split("\\.", -1);
      all.add(names[0]);
      if (names.length > 1 && BoundedParser.PARTS.contains(names[0])) {
        all.add(names[0] + "." + names[1]);
      }
    }
    return new FieldSelection(all, unread);
  }

  /// True if the field is read.
  ///
  /// @param field its path, at most two names
  boolean isRead(String field) {
    return read.isEmpty() || read.contains(field) || field.startsWith("metadata.");
  }
}
