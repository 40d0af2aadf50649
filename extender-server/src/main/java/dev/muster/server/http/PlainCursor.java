package dev.muster.server.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Walks JSON that needs no decoding and has no white space, byte by byte and without making
/// objects: as Go writes it. What it does not take need not be wrong: a string with an escape or an
/// umlaut is JSON, but not plain.
///
/// Goals: many times as quick as a full JSON reader; never take what such a reader would refuse.
///
/// Algorithm: strings are passed over eight bytes at a time. Of a word `w` of eight bytes, the high
/// bit of a byte of `(w ^ '"') - 1`, `(w ^ '\') - 1`, `w - ' '` or `w` is set where a quote, a
/// backslash, a control character or a byte outside ASCII stands; a borrow may set it also in later
/// bytes, never in earlier ones, and only the first counts (Mycroft 1987; Warren, Hacker's Delight,
/// 6-1). Most strings are names of nodes, so a cheaper question comes first: whether all eight
/// bytes are lower case letters, digits, dots, hyphens, or others that lie beside them in ASCII.
final class PlainCursor {
  /// Longer strings are left to the full reader, which bounds them.
  private static final int LONGEST = 1024;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long QUOTES = '"' * ONES;
  private static final long AFTER_QUOTES = ('"' + 1) * ONES;
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

  /// Whether this character comes next.
  boolean isAt(char wanted) {
    return at < json.length && json[at] == wanted;
  }

  /// Passes over this character; false, when something else comes.
  boolean take(char wanted) {
    boolean there = isAt(wanted);
    at += there ? 1 : 0;
    return there;
  }

  /// Passes over these bytes; false, when something else comes.
  boolean take(byte[] text) {
    int past = at + text.length;
    boolean there = past <= json.length && Arrays.equals(json, at, past, text, 0, text.length);
    at = there ? past : at;
    return there;
  }

  /// Whether nothing but white space is left.
  boolean isAtEnd() {
    return at >= endOfText();
  }

  /// The offset behind the last byte that is no white space.
  private int endOfText() {
    int last = json.length;
    while (last > 0 && isSpace(json[last - 1])) {
      last--;
    }
    return last;
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /// Passes over a natural number of at most 18 digits; false, when something else comes.
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

  /// Passes over plain strings and the commas between them; false, when something else comes.
  boolean takeStrings() {
    int close = closeOfLastList();
    if (close >= at && PlainList.isBetween(json, at, close)) {
      at = close;
      return true;
    }
    do {
      if (!takeString()) {
        return false;
      }
    } while (take(','));
    return true;
  }

  /// Where the list ends with which the body ends, as those of node names do; -1 if it does not.
  private int closeOfLastList() {
    int close = endOfText() - 2;
    return close >= 0 && json[close] == ']' && json[close + 1] == '}' ? close : -1;
  }

  /// Passes over the next string of a list that was [passed][#takeStrings] before, and what is
  /// behind it; false at the end of the list.
  boolean takeListed() {
    boolean there = isAt('"');
    if (there) {
      start = at + 1;
      end = close(start);
      at = end + 2;
    }
    return there;
  }

  /// Passes over a plain string of at most 1024 bytes; false, when something else comes.
  boolean takeString() {
    return take('"') && takeRest();
  }

  /// The same behind the first quote.
  boolean takeRest() {
    int close = close(at);
    if (close < 0 || close - at > LONGEST) {
      return false;
    }
    start = at;
    end = close;
    at = close + 1;
    return true;
  }

  /// The offset of the closing quote of the string within which the offset lies; -1 when something
  /// odd comes first.
  private int close(int from) {
    int here = from;
    int last = json.length - Long.BYTES;
    long unusual = 0;
    while (here <= last && unusual == 0) {
      unusual = unusual((long) WORD.get(json, here));
      here += Long.BYTES;
    }
    int first = here - Long.BYTES + (Long.numberOfTrailingZeros(unusual) >>> 3);
    return unusual != 0 && json[first] == '"' ? first : closeOfOthers(from);
  }

  private int closeOfOthers(int from) {
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

  /// Other bytes than those from `#` on whose bit for 32 is set; a quote is one, as all odd ones
  /// are.
  private static long unusual(long word) {
    return ((~word << 2) | (word - AFTER_QUOTES) | word) & HIGHS;
  }

  private static long odd(long word) {
    return (((word ^ QUOTES) - ONES) | ((word ^ BACKSLASHES) - ONES) | (word - SPACES) | word)
        & HIGHS;
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
