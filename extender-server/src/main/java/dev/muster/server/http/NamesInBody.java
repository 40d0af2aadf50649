package dev.muster.server.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An offer of names that are left as they stand in the body of the call: an array of plain
/// strings. Thousands come with each call, and few are needed; so not even their places are kept,
/// which would cost more than to walk again.
final class NamesInBody implements Offer {
  private final byte[] body;
  private final int from;
  private final int to;
  private final int count;

  private NamesInBody(byte[] body, int from, int to, int count) {
    this.body = body;
    this.from = from;
    this.to = to;
    this.count = count;
  }

  /// Passes over the array of plain strings that comes next; nothing, when something else comes.
  static Optional<NamesInBody> take(byte[] body, PlainCursor cursor) {
    if (!cursor.take('[')) {
      return Optional.empty();
    }
    int from = cursor.at() - 1;
    int count = cursor.isAt(']') ? 0 : takeAll(cursor);
    return count >= 0 && cursor.take(']')
        ? Optional.of(new NamesInBody(body, from, cursor.at(), count))
        : Optional.empty();
  }

  /// Passes over the names; returns how many, or -1 when one is not plain.
  private static int takeAll(PlainCursor cursor) {
    int count = 0;
    do {
      if (!cursor.takeString()) {
        return -1;
      }
      count++;
    } while (cursor.take(','));
    return count;
  }

  /// A cursor that takes the first name next, then a comma, and so on.
  PlainCursor walk() {
    return new PlainCursor(body, from + 1);
  }

  /// The bytes that the cursor walks.
  byte[] body() {
    return body;
  }

  private String text(PlainCursor name) {
    return new String(body, name.start(), name.end() - name.start(), StandardCharsets.US_ASCII);
  }

  @Override
  public List<String> names() {
    List<String> names = new ArrayList<>(count);
    PlainCursor cursor = walk();
    while (cursor.takeString()) {
      names.add(text(cursor));
      cursor.take(',');
    }
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
    return cursor.takeString() ? Optional.of(text(cursor)) : Optional.empty();
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

  /// The array as it came, between two texts.
  byte[] between(byte[] head, byte[] tail) {
    byte[] whole = new byte[head.length + length() + tail.length];
    System.arraycopy(head, 0, whole, 0, head.length);
    System.arraycopy(body, from, whole, head.length, length());
    System.arraycopy(tail, 0, whole, whole.length - tail.length, tail.length);
    return whole;
  }
}
