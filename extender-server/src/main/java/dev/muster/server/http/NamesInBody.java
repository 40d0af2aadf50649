package dev.muster.server.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An offer of names that are left as they stand in the body of the call: an array of plain
/// strings. Thousands come with each call, and few are needed; so not even their places are kept.
final class NamesInBody implements Offer {
  private final byte[] body;
  private final int from;
  private final int to;

  private NamesInBody(byte[] body, int from, int to) {
    this.body = body;
    this.from = from;
    this.to = to;
  }

  /// Passes over the array of plain strings that comes next; nothing, when something else comes.
  static Optional<NamesInBody> take(byte[] body, PlainCursor cursor) {
    int from = cursor.at();
    boolean plain =
        cursor.take('[') && (cursor.isAt(']') || cursor.takeStrings()) && cursor.take(']');
    return plain ? Optional.of(new NamesInBody(body, from, cursor.at())) : Optional.empty();
  }

  /// Before the first of the names; each is [listed][PlainCursor#takeListed].
  PlainCursor walk() {
    return new PlainCursor(body, from + 1);
  }

  private String text(PlainCursor name) {
    return new String(body, name.start(), name.end() - name.start(), StandardCharsets.US_ASCII);
  }

  @Override
  public List<String> names() {
    List<String> names = new ArrayList<>();
    for (PlainCursor name = walk(); name.takeListed(); ) {
      names.add(text(name));
    }
    return List.copyOf(names);
  }

  @Override
  public Offer only(String node) {
    byte[] wanted = node.getBytes(StandardCharsets.UTF_8);
    for (PlainCursor name = walk(); name.takeListed(); ) {
      if (name.holds(wanted)) {
        return new Names(List.of(node));
      }
    }
    return none();
  }

  @Override
  public Offer none() {
    return new Names(List.of());
  }

  @Override
  public Optional<String> first() {
    PlainCursor name = walk();
    return name.takeListed() ? Optional.of(text(name)) : Optional.empty();
  }

  @Override
  public boolean isEmpty() {
    return !walk().takeListed();
  }

  /// What the offsets count in.
  byte[] body() {
    return body;
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
