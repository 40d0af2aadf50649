package dev.muster.policy.yaml;

import java.util.regex.Pattern;

/// Builds field paths as messages show them: `topology.levels[1].label`.
public final class FieldPath {

  private static final Pattern PLAIN = Pattern.compile("[\\w-]+");

  private FieldPath() {}

  /// Returns the path of a field below `parent`; a name that is not made of word characters is
  /// quoted.
  public static String child(String parent, String name) {
    if (!PLAIN.matcher(name).matches()) {
      return parent + "[\"" + ShownValue.text(name) + "\"]";
    }
    return parent.isEmpty() ? name : parent + "." + name;
  }

  /// Returns the path of a list item, counted from 0.
  static String item(String parent, int index) {
    return parent + "[" + index + "]";
  }
}
