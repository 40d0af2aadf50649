package dev.muster.server.http.receive;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/// The body of a request, in parts. The event loop copies each byte once; the parts are joined on
/// the thread that answers. Used by one thread at a time.
public final class ReceivedBody {
  private static final int SMALLEST = 1 << 13;

  /// Collectors allocate arrays of half a region outside the young generation, and the smallest
  /// region has 1 MiB.
  private static final int LARGEST = 1 << 18;

  private final List<byte[]> parts = new ArrayList<>();
  private int length;
  private int capacity;

  ReceivedBody() {}

  /// Returns the length in bytes.
  public int length() {
    return length;
  }

  /// Returns the length of the part that more bytes need; 0 if there is room for them.
  ///
  /// @param more number of bytes
  /// @param longest announced length of the body, in bytes
  int missing(int more, long longest) {
    int least = length + more - capacity;
    int part = Math.clamp(capacity, SMALLEST, LARGEST);
    return least <= 0 ? 0 : Math.max(least, (int) Math.min(part, longest - capacity));
  }

  /// Appends bytes, to the last part first.
  ///
  /// @param added length of a new part for those without room; 0: all have room
  void append(Buffer bytes, int added) {
    int fitting = Math.min(bytes.length(), capacity - length);
    fill(bytes, 0, fitting);
    if (added > 0) {
      parts.add(new byte[added]);
      capacity += added;
    }
    fill(bytes, fitting, bytes.length());
  }

  private void fill(Buffer bytes, int start, int end) {
    if (start < end) {
      byte[] last = parts.getLast();
      bytes.getBytes(start, end, last, last.length - (capacity - length));
      length += end - start;
    }
  }

  /// Returns the first bytes, or all if there are fewer.
  byte[] begin(int most) {
    byte[] begin = new byte[Math.min(most, length)];
    int start = 0;
    for (byte[] part : parts) {
      int copied = Math.min(part.length, begin.length - start);
      System.arraycopy(part, 0, begin, start, copied);
      start += copied;
    }
    return begin;
  }

  /// Returns the bytes in one array, and forgets them: the body is empty then. So they are free
  /// when they were read, even while the answer waits to be sent.
  public byte[] take() {
    boolean isWhole = capacity == length && parts.size() == 1;
    byte[] whole = isWhole ? parts.getFirst() : joined();
    parts.clear();
    length = 0;
    capacity = 0;
    return whole;
  }

  private byte[] joined() {
    byte[] whole = new byte[length];
    int start = 0;
    for (byte[] part : parts) {
      int filled = Math.min(part.length, length - start);
      System.arraycopy(part, 0, whole, start, filled);
      start += filled;
    }
    return whole;
  }
}
