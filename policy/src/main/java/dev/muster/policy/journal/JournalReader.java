package dev.muster.policy.journal;

import dev.muster.policy.file.FileProblem;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * Reads a journal line by line, whatever its size.
 *
 * <p>A line counts once its line break is there: what follows the last one was cut off by a crash
 * and is left out.
 */
public final class JournalReader implements Closeable {

  /** The longest line that is read: 64 MiB, some hundred thousand assignments. */
  public static final int MOST_BYTES = 64 << 20;

  private final String file;
  private final InputStream in;
  private int line;
  private boolean begun;
  private boolean torn;

  private JournalReader(String file, InputStream in) {
    this.file = file;
    this.in = in;
  }

  /**
   * Opens the journal, plain or gzip; problems name it just so.
   *
   * @throws BadJournal if it is a folder
   * @throws IOException if it cannot be opened
   */
  public static JournalReader open(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      throw new BadJournal(
          FileProblem.ofFile(path.toString(), "is a folder. Maybe name a journal in it."));
    }
    return new JournalReader(path.toString(), unzipped(path));
  }

  private static InputStream unzipped(Path path) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(path));
    try {
      in.mark(2);
      boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
      in.reset();
      return zipped ? new BufferedInputStream(new GZIPInputStream(in)) : in;
    } catch (IOException failed) {
      in.close();
      throw failed;
    }
  }

  /**
   * The next line; empty at the end. The first is a header, and every further header starts another
   * run.
   *
   * @throws BadJournal if the line is not understood; reading on skips it
   * @throws IOException if the file cannot be read
   */
  public Optional<Entry> next() throws IOException {
    Optional<byte[]> bytes = nextLine();
    if (bytes.isEmpty()) {
      return Optional.empty();
    }
    String text = text(bytes.get());
    if (!begun) {
      demandHeader(text);
    }
    Entry entry = parse(text);
    begun = true;
    return Optional.of(entry);
  }

  private Entry parse(String text) throws BadJournal {
    try {
      return JournalJson.read(text);
    } catch (IOException bad) {
      throw fault().of(bad);
    }
  }

  private String text(byte[] bytes) throws BadJournal {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      throw fault()
          .of(
              begun
                  ? "The line is not UTF-8 text. Maybe the disk is damaged."
                  : "The file is no journal: it is not UTF-8 text. Maybe the path is wrong.");
    }
  }

  private void demandHeader(String text) throws BadJournal {
    if (JournalJson.isTurn(text)) {
      throw fault()
          .of("The journal does not start with a header. Maybe its first lines were cut off.");
    }
    if (!JournalJson.isHeader(text)) {
      throw fault()
          .of(
              "The file is no journal: its first line is no header, which begins with apiVersion. Maybe the path is wrong.");
    }
  }

  private Optional<byte[]> nextLine() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int next = in.read();
    line += next == -1 ? 0 : 1;
    while (next != -1 && next != '\n') {
      if (bytes.size() == MOST_BYTES) {
        throw fault().of("The line is longer than 64 MiB. Maybe it is not a journal.");
      }
      bytes.write(next);
      next = in.read();
    }
    torn = next == -1 && bytes.size() > 0;
    return next == -1 ? Optional.empty() : Optional.of(bytes.toByteArray());
  }

  /** Words for what is wrong with the line last read. */
  LineFault fault() {
    return new LineFault(file, line);
  }

  /** The number of the line last read, counted from 1; 0 at first. */
  public int line() {
    return line;
  }

  /** Whether the end was reached amid a line, which was left out. */
  public boolean isTorn() {
    return torn;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
