package dev.muster.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An offer of names that are left as they stand in the body of the call: an array of plain
/// strings. Thousands come with each call, and few are needed.
final class NamesInBody implements Offer {
  private final byte[] body;
  private final int from;
  private final int to;
  private final int count;

  private NamesInBody(byte[] body, int from, PlainCursor past, int count) {
    this.body = body;
    this.from = from;
    this.to = past.at();
    this.count = count;
  }

  /// Passes over the array of plain strings that comes next; nothing, when something else comes.
  static Optional<NamesInBody> take(byte[] body, PlainCursor cursor) {
    if (!cursor.take('[')) {
      return Optional.empty();
    }
    int from = cursor.at() - 1;
    int count = 0;
    if (!cursor.isAt(']')) {
      do {
        if (!cursor.takeString()) {
          return Optional.empty();
        }
        count++;
      } while (cursor.take(','));
    }
    return cursor.take(']')
        ? Optional.of(new NamesInBody(body, from, cursor, count))
        : Optional.empty();
  }

  /// A cursor at the first name; the next one follows a comma.
  private PlainCursor walk() {
    return new PlainCursor(body, from + 1);
  }

  private static String text(byte[] json, int start, int end) {
    return new String(json, start, end - start, StandardCharsets.US_ASCII);
  }

  @Override
  public List<String> names() {
    List<String> names = new ArrayList<>(count);
    each((json, start, end) -> names.add(text(json, start, end)));
    return names;
  }

  @Override
  public Offer only(String node) {
    byte[] wanted = node.getBytes(StandardCharsets.UTF_8);
    PlainCursor cursor = walk();
    while (cursor.takeString()) {
      if (cursor.holds(wanted)) {
        return new Names(List.of(node));
      }
      cursor.take(',');
    }
    return none();
  }

  @Override
  public Offer none() {
    return new Names(List.of());
  }

  @Override
  public Optional<String> first() {
    PlainCursor cursor = walk();
    return cursor.takeString()
        ? Optional.of(text(body, cursor.start(), cursor.end()))
        : Optional.empty();
  }

  @Override
  public boolean isEmpty() {
    return count == 0;
  }

  /// How many names there are.
  int count() {
    return count;
  }

  /// The length of the array in bytes.
  int length() {
    return to - from;
  }

  /// Adds the array as it came.
  void copyTo(ByteBuffer target) {
    target.put(body, from, length());
  }

  /// What to do at each name.
  @FunctionalInterface
  interface AtName {
    /// @param from the offset of the name's first byte
    /// @param to the offset after its last
    void see(byte[] body, int from, int to);
  }

  /// Looks at all names in the order offered.
  void each(AtName look) {
    PlainCursor cursor = walk();
    while (cursor.takeString()) {
      look.see(body, cursor.start(), cursor.end());
      cursor.take(',');
    }
  }
}
