package dev.muster.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// An offer of names that are left as they stand in the body of the call: an array of plain
/// strings. Thousands come with each call, and few are needed; so only their places are kept.
final class NamesInBody implements Offer {
  private final byte[] body;
  private final int from;
  private final int to;
  private final Offsets places; // where each name begins and ends

  private NamesInBody(byte[] body, int from, int to, Offsets places) {
    this.body = body;
    this.from = from;
    this.to = to;
    this.places = places;
  }

  /// Passes over the array of plain strings that comes next; nothing, when something else comes.
  static Optional<NamesInBody> take(byte[] body, PlainCursor cursor) {
    if (!cursor.take('[')) {
      return Optional.empty();
    }
    int from = cursor.at() - 1;
    Offsets places = new Offsets();
    boolean plain = cursor.isAt(']') || cursor.takeStrings(places);
    return plain && cursor.take(']')
        ? Optional.of(new NamesInBody(body, from, cursor.at(), places))
        : Optional.empty();
  }

  private String text(int name) {
    int start = start(name);
    return new String(body, start, end(name) - start, StandardCharsets.US_ASCII);
  }

  @Override
  public List<String> names() {
    return IntStream.range(0, count()).mapToObj(this::text).toList();
  }

  @Override
  public Offer only(String node) {
    byte[] wanted = node.getBytes(StandardCharsets.UTF_8);
    for (int name = 0; name < count(); name++) {
      if (Arrays.equals(body, start(name), end(name), wanted, 0, wanted.length)) {
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
    return isEmpty() ? Optional.empty() : Optional.of(text(0));
  }

  @Override
  public boolean isEmpty() {
    return count() == 0;
  }

  /// How many names there are.
  int count() {
    return places.size() / 2;
  }

  /// The offset in the body of the first byte of a name.
  int start(int name) {
    return places.get(2 * name);
  }

  /// The offset of its closing quote.
  int end(int name) {
    return places.get(2 * name + 1);
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
