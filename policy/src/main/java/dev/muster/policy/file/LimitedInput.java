package dev.muster.policy.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// An input stream that fails when more than a number of bytes is read from it.
///
/// A small compressed text can unpack to any size.
public final class LimitedInput extends FilterInputStream {
  private final long most;
  private long count;

  public LimitedInput(InputStream in, long most) {
    super(in);
    this.most = most;
  }

  @Override
  public int read() throws IOException {
    int next = super.read();
    count(next < 0 ? 0 : 1);
    return next;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    int read = super.read(into, from, length);
    count(Math.max(0, read));
    return read;
  }

  private void count(int more) throws IOException {
    count += more;
    if (count > most) {
      throw new IOException("it has more than %,d bytes, the maximum".formatted(most));
    }
  }
}
