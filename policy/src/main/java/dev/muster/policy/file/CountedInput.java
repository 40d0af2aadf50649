package dev.muster.policy.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// The bytes of a file, as they are on the disk, and how many were read.
public final class CountedInput extends FilterInputStream {
  private long count;

  public CountedInput(InputStream in) {
    super(in);
  }

  /// How many bytes were read; those that somebody buffers count as read.
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
