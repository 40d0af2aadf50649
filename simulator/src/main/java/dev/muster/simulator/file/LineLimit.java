package dev.muster.simulator.file;

import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.io.Reader;

/// The text of a file, whose lines have a maximum length.
///
/// A reader of lines keeps a whole line in memory. A damaged file can be one line of any length,
/// and a small compressed file can contain such a line.
final class LineLimit extends Reader {
  /// The maximum number of characters in a line.
  static final int MOST = 1 << 20;

  private final String file;
  private final Reader text;
  private int line = 1;
  private int length;
  private boolean afterReturn;

  LineLimit(String file, Reader text) {
    this.file = file;
    this.text = text;
  }

  @Override
  public int read(char[] into, int from, int most) throws IOException {
    int read = text.read(into, from, most);
    for (int i = from; i < from + read; i++) {
      count(into[i]);
    }
    return read;
  }

  private void count(char sign) {
    if (sign == '\n' || sign == '\r') {
      line += sign == '\n' && afterReturn ? 0 : 1; // \r\n is one line break
      length = 0;
    } else if (++length > MOST) {
      throw new MalformedFile(
          new FileProblem(
              file,
              line,
              1,
              "",
              "the line has more than %,d characters, the maximum.".formatted(MOST)));
    }
    afterReturn = sign == '\r';
  }

  @Override
  public void close() throws IOException {
    text.close();
  }
}
