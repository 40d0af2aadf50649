package dev.muster.server.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// An offer of names that are left as they stand in the body of the call: an array of plain
/// strings. Thousands come with each call, and few are needed; so not even their places are kept.
final class NamesInBody implements OfferedNodes {
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
  public OfferedNodes only(String node) {
    return holds(node.getBytes(StandardCharsets.UTF_8)) ? new Names(List.of(node)) : none();
  }

  /// Most names are as long as the wanted one, so its quote is looked for where it would be: if one
  /// closes a name there, no wanted one can begin before it but here. And names that differ mostly
  /// differ where others did.
  private boolean holds(byte[] wanted) {
    int differs = 0;
    int at = from + 2;
    while (at + wanted.length < to - 1) {
      int end = isClose(at + wanted.length) ? at + wanted.length : close(at);
      if (end - at == wanted.length && body[at + differs] == wanted[differs]) {
        differs = Arrays.mismatch(body, at, end, wanted, 0, wanted.length);
        if (differs < 0) {
          return end == close(at);
        }
      }
      at = end + 3; // the quote, a comma, a quote
    }
    return false;
  }

  /// Whether a name ends there. A quote that opens one stands behind a comma or the bracket; what
  /// else does is looked at from its beginning.
  private boolean isClose(int offset) {
    return body[offset] == '"' && body[offset - 1] != ',';
  }

  /// Where the name ends that begins there.
  private int close(int start) {
    PlainCursor name = new PlainCursor(body, start - 1);
    name.takeListed();
    return name.end();
  }

  @Override
  public OfferedNodes none() {
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
