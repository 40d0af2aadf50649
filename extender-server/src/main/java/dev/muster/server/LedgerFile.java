package dev.muster.server;

import dev.muster.policy.journal.Rotation;
import dev.muster.policy.journal.WholeLines;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lines in a file of bounded size, which one process at a time writes. When it is full it becomes
/// `FILE.1`, the one before that `FILE.2`, and the oldest is dropped. One that cannot be put aside
/// grows on.
final class LedgerFile implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LedgerFile.class);

  /// So many full files are kept beside the one that is written.
  static final int KEPT = 4;

  /// At about 300 bytes an act, each file holds some 50,000.
  private static final long LIMIT = 16L << 20;

  private final Rotation files;
  private final Opening opening;
  private final long limit;
  private OutputStream out;
  private long size;
  private boolean crowded; // the file is full and could not be put aside
  private boolean torn; // a full disk cut the last line short
  private final boolean regular; // the file is one that can be deleted, no pipe or device

  /// Opens a file at the end of its last whole line.
  interface Opening {
    OutputStream open(Path file) throws IOException;
  }

  private LedgerFile(Path path, long limit, Opening opening) throws IOException {
    this.files = files(path);
    this.opening = opening;
    this.limit = limit;
    this.out = opening.open(files.file());
    this.size = Files.size(path);
    this.regular = files.isPossible();
  }

  private static Rotation files(Path path) {
    return new Rotation(path, KEPT);
  }

  /// A file that goes on where it ended, but for a line that a crash cut short.
  ///
  /// @throws IOException when it cannot be written, or another process writes it
  static LedgerFile open(Path path) throws IOException {
    return open(path, LIMIT);
  }

  /// @param limit bytes of one file at most, unless a single line is longer
  static LedgerFile open(Path path, long limit) throws IOException {
    return open(path, limit, WholeLines::append);
  }

  static LedgerFile open(Path path, long limit, Opening opening) throws IOException {
    return new LedgerFile(path, limit, opening);
  }

  /// The newest lines of all files, oldest first; a pipe is not asked. Not while it is open, since
  /// [WholeLines] would lose its lock.
  ///
  /// @param most so many at most
  static List<String> newest(Path path, int most) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : files(path).all().reversed()) {
      if (lines.size() < most && Files.isRegularFile(file)) {
        // A full disk may have cut a character in two: what is no UTF-8 is replaced.
        String older = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        lines.addAll(0, older.lines().toList());
      }
    }
    return lines.subList(Math.max(0, lines.size() - most), lines.size());
  }

  void append(String line) throws IOException {
    if (regular && !files.isPossible()) {
      beginAnew();
    } else if (regular && torn) {
      goOn();
    }
    byte[] bytes = ((torn ? "\n" : "") + line + "\n").getBytes(StandardCharsets.UTF_8);
    if (size > 0 && size + bytes.length > limit && files.isPossible()) {
      putAside();
    }
    torn = true;
    out.write(bytes);
    torn = false;
    size += bytes.length;
  }

  /// Where the file was deleted or moved, what is still open of it is read by nobody.
  private void beginAnew() throws IOException {
    OutputStream old = out;
    out = opening.open(files.file());
    size = 0;
    torn = false;
    log.warn(
        "The ledger {} was deleted or moved while it was written, and is begun anew.",
        files.file());
    old.close();
  }

  /// Drops the line that was cut short: whoever reads the file would stumble over it.
  private void goOn() throws IOException {
    out.close();
    out = opening.open(files.file());
    size = Files.size(files.file());
    torn = false;
  }

  private void putAside() throws IOException {
    OutputStream next;
    try {
      next = files.turn();
    } catch (IOException e) {
      if (!crowded) {
        log.warn(
            "The ledger {} is full and could not be put aside ({}); it grows on. Maybe its folder is not writable.",
            files.file(),
            String.valueOf(e));
      }
      crowded = true;
      return;
    }
    OutputStream old = out;
    out = next;
    size = 0;
    crowded = false;
    old.close();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
