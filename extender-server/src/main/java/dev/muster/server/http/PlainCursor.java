package dev.muster.server.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Walks JSON that needs no decoding, byte by byte and without making objects. What it does not
/// take need not be wrong: a string with an escape or an umlaut is JSON, but not plain.
///
/// Goals: several times as quick as a full JSON reader; never take what such a reader would refuse.
///
/// Algorithm: strings are passed over eight bytes at a time. Of a word `w` of eight bytes, the high
/// bit of a byte of `(w ^ '"') - 1`, `(w ^ '\') - 1`, `w - ' '` or `w` is set where a quote, a
/// backslash, a control character or a byte outside ASCII stands; a borrow may set it also in later
/// bytes, never in earlier ones, and only the first counts (Mycroft 1987; Warren, Hacker's Delight,
/// 6-1).
final class PlainCursor {
  /// Longer strings are left to the full reader, which bounds them.
  private static final int LONGEST = 1024;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long QUOTES = '"' * ONES;
  private static final long BACKSLASHES = '\\' * ONES;
  private static final long SPACES = ' ' * ONES;
  private static final long HIGHS = 0x8080808080808080L;

  private final byte[] json;
  private int at;
  private int start;
  private int end;

  PlainCursor(byte[] json, int at) {
    this.json = json;
    this.at = at;
  }

  /// The bytes of a text in ASCII.
  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// The offset of the first byte not yet passed.
  int at() {
    return at;
  }

  void moveTo(int offset) {
    at = offset;
  }

  /// The offset of the first byte within the quotes of the string last taken.
  int start() {
    return start;
  }

  /// The offset of its closing quote.
  int end() {
    return end;
  }

  /// Passes over white space; returns whether this character comes next.
  boolean isAt(char wanted) {
    while (at < json.length && isSpace(json[at])) {
      at++;
    }
    return at < json.length && json[at] == wanted;
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /// Passes over white space and this character; false, when something else comes.
  boolean take(char wanted) {
    boolean there = isAt(wanted);
    at += there ? 1 : 0;
    return there;
  }

  /// Whether nothing but white space is left.
  boolean isAtEnd() {
    isAt(' ');
    return at == json.length;
  }

  /// Passes over white space and `null`; false, when something else comes.
  boolean takeNull() {
    return take('n') && take('u', 'l', 'l');
  }

  private boolean take(char first, char second, char third) {
    boolean there =
        at + 3 <= json.length
            && json[at] == first
            && json[at + 1] == second
            && json[at + 2] == third;
    at += there ? 3 : 0;
    return there;
  }

  /// Passes over white space and a natural number of at most 18 digits; false, when something else
  /// comes.
  boolean takeNumber() {
    if (take('0')) {
      return true;
    }
    int first = at;
    while (at < json.length && json[at] >= '0' && json[at] <= '9') {
      at++;
    }
    return at > first && at - first <= 18;
  }

  /// Passes over white space and a plain string of at most 1024 bytes; false, when something else
  /// comes.
  boolean takeString() {
    if (!take('"')) {
      return false;
    }
    int close = close(at);
    if (close < 0 || close - at > LONGEST) {
      return false;
    }
    start = at;
    end = close;
    at = close + 1;
    return true;
  }

  /// Passes over white space, a key and its colon; false, when something else comes.
  ///
  /// @param key the key in quotes, and the colon
  boolean takeKey(byte[] key) {
    int past = at + key.length;
    if (past <= json.length && Arrays.equals(json, at, past, key, 0, key.length)) {
      at = past;
      return true;
    }
    return takeString()
        && Arrays.equals(json, start - 1, end + 1, key, 0, key.length - 1)
        && take(':');
  }

  /// The offset of the closing quote of the string within which the offset lies; -1 when something
  /// odd comes first.
  private int close(int from) {
    int here = from;
    for (; here <= json.length - Long.BYTES; here += Long.BYTES) {
      long odd = odd((long) WORD.get(json, here));
      if (odd != 0) {
        int first = here + (Long.numberOfTrailingZeros(odd) >>> 3);
        return json[first] == '"' ? first : -1;
      }
    }
    while (here < json.length && json[here] >= ' ' && json[here] != '\\') {
      if (json[here] == '"') {
        return here;
      }
      here++;
    }
    return -1;
  }

  private static long odd(long word) {
    return (((word ^ QUOTES) - ONES) | ((word ^ BACKSLASHES) - ONES) | (word - SPACES) | word)
        & HIGHS;
  }

  /// Whether the string last taken is this one.
  boolean holds(byte[] text) {
    return Arrays.equals(json, start, end, text, 0, text.length);
  }

  /// Whether the string last taken is this text in ASCII.
  boolean holds(String text) {
    boolean same = end - start == text.length();
    for (int i = 0; same && i < text.length(); i++) {
      same = json[start + i] == text.charAt(i);
    }
    return same;
  }
}
