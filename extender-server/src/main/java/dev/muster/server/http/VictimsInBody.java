package dev.muster.server.http;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/// Candidates that are left as they stand in the body of the call: an object of the very shape that
/// Go writes, its keys in ascending order.
///
/// ```
/// {"gpu-1":{"Pods":[{"UID":"u1"},{"UID":"u2"}],"NumPDBViolations":0},"gpu-2":{"Pods":null,"NumPDBViolations":0}}
/// ```
final class VictimsInBody implements Candidates {
  private final byte[] body;
  private final int from;
  private final int to;

  private VictimsInBody(byte[] body, int from, int to) {
    this.body = body;
    this.from = from;
    this.to = to;
  }

  /// Passes over the object of candidates that comes next; nothing, when something else comes.
  static Optional<VictimsInBody> take(byte[] body, PlainCursor cursor) {
    int from = cursor.isAt('{') ? cursor.at() : body.length;
    return walk(cursor, new Ascending(body))
        ? Optional.of(new VictimsInBody(body, from, cursor.at()))
        : Optional.empty();
  }

  /// What to do on the way.
  private interface Look {
    /// At the name of a node; returns whether to go on.
    boolean node(int start, int end);

    /// At the uid of one of its victims.
    void victim(int start, int end);

    /// After the candidate, which is the text between these offsets.
    void past(int start, int end);
  }

  private static boolean walk(PlainCursor cursor, Look look) {
    if (!cursor.take('{')) {
      return false;
    }
    if (cursor.take('}')) {
      return true;
    }
    do {
      if (!candidate(cursor, look)) {
        return false;
      }
    } while (cursor.take(','));
    return cursor.take('}');
  }

  private static boolean candidate(PlainCursor cursor, Look look) {
    if (!cursor.takeString()) {
      return false;
    }
    int start = cursor.start() - 1;
    boolean plain =
        look.node(cursor.start(), cursor.end())
            && cursor.take(':')
            && cursor.take('{')
            && cursor.takeKey("Pods")
            && pods(cursor, look)
            && cursor.take(',')
            && cursor.takeKey("NumPDBViolations")
            && cursor.takeNumber()
            && cursor.take('}');
    look.past(start, cursor.at());
    return plain;
  }

  private static boolean pods(PlainCursor cursor, Look look) {
    if (cursor.isAt('n')) {
      return cursor.takeNull();
    }
    if (!cursor.take('[')) {
      return false;
    }
    if (cursor.take(']')) {
      return true;
    }
    do {
      if (!pod(cursor, look)) {
        return false;
      }
    } while (cursor.take(','));
    return cursor.take(']');
  }

  private static boolean pod(PlainCursor cursor, Look look) {
    if (!cursor.take('{')
        || !cursor.takeKey("UID")
        || !cursor.takeString()
        || cursor.start() == cursor.end()) {
      return false;
    }
    look.victim(cursor.start(), cursor.end());
    return cursor.take('}');
  }

  /// Go sorts the keys of a map, so a node that comes twice comes at once.
  private static final class Ascending implements Look {
    private final byte[] body;
    private int start;
    private int end;

    Ascending(byte[] body) {
      this.body = body;
    }

    @Override
    public boolean node(int nextStart, int nextEnd) {
      boolean first = end == 0;
      boolean higher = first || Arrays.compare(body, start, end, body, nextStart, nextEnd) < 0;
      start = nextStart;
      end = nextEnd;
      return higher;
    }

    @Override
    public void victim(int uidStart, int uidEnd) {}

    @Override
    public void past(int candidateStart, int candidateEnd) {}
  }

  @Override
  public Candidates sparing(NameSet uids) {
    Sparing sparing = new Sparing(uids);
    walk(new PlainCursor(body, from), sparing);
    return sparing.left();
  }

  /// Copies the candidates that evict none of the pods.
  private final class Sparing implements Look {
    private final NameSet uids;
    private final ByteBuffer left = ByteBuffer.allocate(to - from + 2).put((byte) '{');
    private boolean spares = true;

    Sparing(NameSet uids) {
      this.uids = uids;
    }

    @Override
    public boolean node(int start, int end) {
      spares = true;
      return true;
    }

    @Override
    public void victim(int start, int end) {
      spares &= !uids.contains(body, start, end);
    }

    @Override
    public void past(int start, int end) {
      if (spares) {
        left.put(body, start, end - start).put((byte) ',');
      }
    }

    VictimsInBody left() {
      left.position(Math.max(1, left.position() - 1)).put((byte) '}'); // over the last comma
      return new VictimsInBody(left.array(), 0, left.position());
    }
  }

  /// The length of the object in bytes.
  int length() {
    return to - from;
  }

  /// Adds the object as it came.
  void copyTo(ByteBuffer target) {
    target.put(body, from, length());
  }
}
