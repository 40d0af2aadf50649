package dev.muster.simulator.file;

import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// A text that is read from a file, and how far the file was read.
///
/// @param reader the text, unzipped
public record Measured(BufferedReader reader, Bytes read) {
  /// What share of the file was read, 0 to 1; what is still buffered counts as read.
  public double share() {
    return Math.min(1, read.count / (double) Math.max(1, read.size));
  }

  /// The bytes of the file, as they are on the disk.
  public static final class Bytes extends FilterInputStream {
    private final long size;
    private long count;

    Bytes(InputStream in, long size) {
      super(in);
      this.size = size;
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
}
