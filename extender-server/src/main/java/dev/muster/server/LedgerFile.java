package dev.muster.server;

import dev.muster.policy.file.FailureText;
import dev.muster.policy.journal.FileRotation;
import dev.muster.policy.journal.LineFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A file of lines with bounded size, written by one process at a time. A full file is renamed to
/// `FILE.1`, the previous `FILE.1` to `FILE.2`, and the oldest file is deleted. If renaming fails,
/// the current file grows beyond its limit.
final class LedgerFile implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LedgerFile.class);

  /// Number of full files kept in addition to the one being written.
  static final int KEPT = 4;

  /// Size limit of a file in bytes: about 50,000 actions of 300 bytes each.
  private static final long LIMIT = 16L << 20;

  /// Bytes at the end of each file that are read at the start.
  private static final int TAIL = 4 << 20;

  /// How an act begins. See [PreemptionLedger].
  private static final List<String> BEGINNINGS = List.of("{\"version\":");

  private final FileRotation files;
  private final Opening opening;
  private final long limit;
  private OutputStream out;
  private long size;
  private boolean crowded; // the file is full and renaming failed
  private boolean torn; // to be opened again: a failed disk truncated the last line
  private final boolean regular; // a regular file that can be deleted, no pipe or device

  /// Opens a file for appending after its last complete line.
  interface Opening {
    OutputStream open(Path file) throws IOException;
  }

  private LedgerFile(Path path, long limit, Opening opening, List<String> beginnings)
      throws IOException {
    this.files = new FileRotation(path, KEPT, beginnings);
    this.opening = opening;
    this.limit = limit;
    this.out = opened();
    this.regular = torn || files.isPossible();
  }

  /// Opens the file. If the disk fails, the first line tries again: Muster must not wait for its
  /// records.
  private OutputStream opened() throws IOException {
    try {
      OutputStream opened = opening.open(files.file());
      size = files.file().toFile().length(); // 0 for a pipe
      return opened;
    } catch (IOException failure) {
      if (!LineFile.isDiskFailure(failure)) {
        throw failure;
      }
      log.warn(
          "The ledger {} cannot be written ({}). Each new line tries again.",
          files.file(),
          FailureText.of(failure));
      torn = true;
      return OutputStream.nullOutputStream();
    }
  }

  /// Opens a file for appending; a last line truncated by a crash is removed.
  ///
  /// @throws IOException if the file has other content, or cannot be written and the disk is not
  ///   the cause, or if another process writes it
  static LedgerFile open(Path path) throws IOException {
    return new LedgerFile(path, LIMIT, LedgerFile::ofActs, BEGINNINGS);
  }

  private static OutputStream ofActs(Path path) throws IOException {
    if (LineFile.holdsOther(path, BEGINNINGS)) {
      throw new IOException(
          path
              + ": exists and is not a ledger of preemptions. Set preemption.ledger to another file,"
              + " or move this one.");
    }
    return LineFile.append(path);
  }

  /// @param limit maximum bytes of one file, unless a single line is longer
  static LedgerFile open(Path path, long limit) throws IOException {
    return open(path, limit, LineFile::append);
  }

  static LedgerFile open(Path path, long limit, Opening opening) throws IOException {
    return new LedgerFile(path, limit, opening, List.of(""));
  }

  /// Returns the newest lines of all files, oldest first; a pipe is not read. Must not be called
  /// while the file is open, since [LineFile] would lose its lock.
  ///
  /// Of a file that cannot be read, there are no lines. Of a file with very long lines, there may
  /// be fewer.
  ///
  /// @param most maximum number of lines
  static List<String> newest(Path path, int most) {
    List<String> lines = new ArrayList<>();
    for (Path file : new FileRotation(path, KEPT, BEGINNINGS).all().reversed()) {
      if (lines.size() < most && Files.isRegularFile(file)) {
        try {
          lines.addAll(0, tail(file).lines().toList());
        } catch (IOException failure) {
          log.warn(
              "The ledger {} cannot be read ({}). Its acts are not shown.",
              file,
              FailureText.of(failure));
        }
      }
    }
    return lines.subList(Math.max(0, lines.size() - most), lines.size());
  }

  /// Returns the last whole lines of a file.
  private static String tail(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      long left = Files.size(file) - TAIL;
      in.skipNBytes(Math.max(0, left));
      // A full disk may have split a character: bytes that are not UTF-8 are replaced.
      String tail = new String(in.readNBytes(TAIL), StandardCharsets.UTF_8);
      return left > 0 ? tail.substring(tail.indexOf('\n') + 1) : tail;
    }
  }

  void append(String line) throws IOException {
    if (regular && torn) {
      goOn();
    } else if (regular && !files.isPossible()) {
      beginAnew();
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

  /// Opens the file again after it was deleted or moved: no reader finds lines written to the old
  /// one.
  private void beginAnew() throws IOException {
    OutputStream old = out;
    out = opening.open(files.file());
    size = 0;
    torn = false;
    log.warn("The ledger {} was deleted or moved while open; a new file is created.", files.file());
    old.close();
  }

  /// Opens the file again. That removes a truncated last line, which readers could not parse.
  private void goOn() throws IOException {
    out.close();
    out = opening.open(files.file());
    size = Files.size(files.file());
    torn = false;
  }

  private void putAside() throws IOException {
    OutputStream next;
    try {
      next = files.rotate();
    } catch (IOException e) {
      if (!crowded) {
        log.warn(
            "The ledger {} is full but cannot be renamed ({}); it grows beyond its limit.",
            files.file(),
            FailureText.of(e));
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
