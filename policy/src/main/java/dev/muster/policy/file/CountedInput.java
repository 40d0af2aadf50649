package dev.muster.policy.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// An input stream that counts the bytes read from it; the bytes are those on the disk.
public final class CountedInput extends FilterInputStream {
  private long count;

  public CountedInput(InputStream in) {
    super(in);
  }

  /// Returns the number of bytes read, including bytes that a buffer above has read ahead.
  public long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int next = super.read();
    count += next < 0 ? 0 : 1;
    return next;
  }

  @Override
  public int read(byte[] into, int from, int most) throws IOException {
    int read = super.read(into, from, most);
    count += Math.max(0, read);
    return read;
  }
}
