package dev.muster.server.kube.owner.kind;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A value inside an object without a typed model. What is absent, or of another type, is empty.
///
/// @param value the value
public record Fields(@Nullable Object value) {
  /// The highest number that counts; no cluster runs more pods.
  public static final int MOST = 1_000_000;

  public Fields at(String... path) {
    @Nullable Object at = value;
    for (String name : path) {
      at = at instanceof Map<?, ?> map ? map.get(name) : null;
    }
    return new Fields(at);
  }

  public boolean isPresent() {
    return value != null;
  }

  /// Returns the whole number, at least 0 and at most [#MOST].
  public OptionalInt number() {
    return value instanceof Number number
        ? OptionalInt.of(Math.clamp(number.longValue(), 0, MOST))
        : OptionalInt.empty();
  }

  public Optional<String> text() {
    return value instanceof String text ? Optional.of(text) : Optional.empty();
  }

  public boolean isTrue() {
    return Boolean.TRUE.equals(value);
  }

  public boolean is(String text) {
    return text.equals(value);
  }

  public List<Fields> items() {
    List<Fields> items = new ArrayList<>();
    if (value instanceof List<?> list) {
      list.forEach(item -> items.add(new Fields(item)));
    }
    return items;
  }

  /// Returns the fields by name, in order of name.
  public Map<String, Fields> entries() {
    Map<String, Fields> entries = new TreeMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, field) -> entries.put(String.valueOf(name), new Fields(field)));
    }
    return entries;
  }
}
