package dev.muster.server.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Recognises a list of plain strings without looking for each of them.
///
/// Goal: the names of thousands of nodes come with each call, and often none of them is needed;
/// they should cost no more than a copy of them, and yet a list that is broken anywhere must be
/// noticed.
///
/// Algorithm: let the brackets of `["a","b"]` count as commas. Then it is such a list exactly if
/// each comma stands between two quotes, each quote beside one comma, and nothing needs decoding:
/// of two neighbouring quotes, one has its comma before it, and opens a string, and the other has
/// it behind, and closes it. The first two say of each byte: the bytes beside it are not both
/// commas, and one of them is exactly if it is a quote. For a word of eight bytes in ASCII, the
/// high bit of a byte of `(w ^ '"') + 127` is clear where a quote stands. There is no branch within
/// the loop, so that the compiler looks at many words at once.
final class PlainList {
  /// The full reader takes no longer strings, so no longer list is taken here.
  private static final int LONGEST = 4 << 20;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long QUOTES = '"' * ONES;
  private static final long COMMAS = ',' * ONES;
  private static final long MOST = 0x7F * ONES;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long LETTERS = 0x20 * ONES; // all that is written in names has this bit

  private PlainList() {}

  /// Whether a list of at least one plain string lies between these offsets: `"a","b"`. Strings are
  /// not plain here if they hold commas, capital letters, or what needs decoding.
  static boolean isBetween(byte[] json, int from, int to) {
    return to - from >= 2
        && to - from <= LONGEST
        && json[from] == '"'
        && json[from + 1] != ','
        && json[to - 2] != ','
        && json[to - 1] == '"'
        && isWithin(json, from + 1, to - 1);
  }

  /// The same between two bytes that were looked at.
  private static boolean isWithin(byte[] json, int from, int to) {
    long plain = -1;
    long letters = -1;
    long high = 0;
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long word = (long) WORD.get(json, at);
      plain &= plain(word, (long) WORD.get(json, at - 1), (long) WORD.get(json, at + 1));
      letters &= word;
      high |= word;
    }
    return (plain & HIGHS) == HIGHS
        && (letters & LETTERS) == LETTERS
        && (high & HIGHS) == 0
        && isRest(json, at, to);
  }

  /// The high bit of each byte tells whether quotes and commas are right there.
  private static long plain(long word, long before, long behind) {
    long quote = (word ^ QUOTES) + MOST;
    long comma = (before ^ COMMAS) + MOST;
    long another = (behind ^ COMMAS) + MOST;
    return (quote ^ comma ^ another) & (comma | another);
  }

  private static boolean isRest(byte[] json, int from, int to) {
    boolean plain = true;
    for (int at = from; at < to; at++) {
      boolean comma = json[at - 1] == ',';
      boolean another = json[at + 1] == ',';
      plain &= (json[at] == '"') == (comma ^ another) && !(comma && another);
      plain &= json[at] >= ' ' && (json[at] & ' ') != 0;
    }
    return plain;
  }
}
