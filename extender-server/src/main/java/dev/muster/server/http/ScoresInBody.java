package dev.muster.server.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/// Writes the scores of names that are left as they stand in the body of the call.
///
/// ```
/// [{"Host":"cpu-1","Score":10},{"Host":"cpu-2","Score":10}]
/// ```
///
/// Algorithm: each name is read once, eight bytes at a time, and while it is copied its hash is
/// worked out. One that turns out to be among the worst is written over by the next.
final class ScoresInBody {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final byte[] FIRST = PlainCursor.ascii("[{\"Host\":\"");
  private static final String NEXT = "\",\"Score\":%d},{\"Host\":\"".formatted(Scores.BEST);
  private static final int NEXT_LENGTH = NEXT.length();
  private static final byte[] NEXT_WORDS = Arrays.copyOf(PlainCursor.ascii(NEXT), 3 * Long.BYTES);
  private static final int MARGIN = 2 * NEXT_WORDS.length; // what is written behind a name

  private ScoresInBody() {}

  /// The scores of the best; the others have none. Absent where a name has other signs than names
  /// of nodes have.
  static Optional<byte[]> of(NamesInBody names, NameSet worst) {
    byte[] body = names.body();
    byte[] json = Arrays.copyOf(FIRST, FIRST.length + names.length() * 3 / 2 + MARGIN);
    int length = FIRST.length;
    int at = names.walk().at();
    while (body[at] == '"') {
      int from = at + 1;
      int to = length;
      long sum = 0;
      long power = NameSet.SPREAD;
      long word = word(body, from);
      int usual = PlainCursor.usual(word);
      while (usual == Long.BYTES && to + MARGIN < json.length) {
        WORD.set(json, to, word);
        sum += word * power;
        power *= NameSet.SPREAD;
        from += Long.BYTES;
        to += Long.BYTES;
        word = word(body, from);
        usual = PlainCursor.usual(word);
      }
      if (to + MARGIN >= json.length) {
        json = Arrays.copyOf(json, 2 * json.length); // and the name once more
      } else if (body[from + usual] != '"') {
        return Optional.empty();
      } else {
        WORD.set(json, to, word);
        sum += (word & ((1L << (usual << 3)) - 1)) * power;
        int end = from + usual;
        if (!worst.contains(body, at + 1, end, NameSet.ended(sum))) {
          length = to + usual + NEXT_LENGTH;
          putNext(json, to + usual);
        }
        at = end + 2;
      }
    }
    return Optional.of(closed(json, length));
  }

  /// What is written, without the beginning of one more score.
  private static byte[] closed(byte[] json, int length) {
    if (length == FIRST.length) {
      return PlainCursor.ascii("[]");
    }
    int close = length - FIRST.length;
    json[close] = ']';
    return Arrays.copyOf(json, close + 1);
  }

  private static void putNext(byte[] json, int to) {
    for (int i = 0; i < NEXT_WORDS.length; i += Long.BYTES) {
      WORD.set(json, to + i, (long) WORD.get(NEXT_WORDS, i));
    }
  }

  /// Eight bytes of the body, behind its end zeros.
  private static long word(byte[] body, int from) {
    return from <= body.length - Long.BYTES
        ? (long) WORD.get(body, from)
        : (long) WORD.get(Arrays.copyOfRange(body, from, from + Long.BYTES), 0);
  }
}
