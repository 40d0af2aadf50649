package dev.muster.policy.journal;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// An open file of a journal, with a write buffer and a size limit.
final class JournalFile {

  private static final int BUFFER_BYTES = 1 << 16;

  private final FileRotation files;
  private final long limit;
  private final OutputStream raw;
  private final OutputStream buffered;
  private final boolean regular; // can be deleted or rotated; no pipe or device
  private long size;

  /// The access to the disk, which tests replace.
  ///
  /// @param limit largest size of one file in bytes, unless a single line is longer
  record Disk(Opening opening, long limit) {

    interface Opening {
      OutputStream open(Path file) throws IOException;
    }
  }

  private JournalFile(
      FileRotation files, long limit, OutputStream raw, boolean regular, long size) {
    this.files = files;
    this.limit = limit;
    this.raw = raw;
    this.regular = regular;
    this.buffered = new BufferedOutputStream(raw, BUFFER_BYTES);
    this.size = size;
  }

  /// Opens the current file at its end.
  static JournalFile open(FileRotation files, Disk disk) throws IOException {
    OutputStream raw = disk.opening().open(files.file());
    boolean regular = files.isPossible();
    long size = regular ? Files.size(files.file()) : 0;
    return new JournalFile(files, disk.limit(), raw, regular, size);
  }

  /// Rotates this file and opens an empty one in its place. This file stays open.
  ///
  /// @throws IOException if it cannot be rotated; it can still be written
  JournalFile successor() throws IOException {
    return new JournalFile(files, limit, files.rotate(), true, 0);
  }

  /// True if the file exceeds its limit and can be rotated.
  boolean isFull() {
    return size > limit && files.isPossible();
  }

  /// True if the file was deleted or moved since it was opened.
  boolean isLost() {
    return regular && !files.isPossible();
  }

  void write(byte[] line) throws IOException {
    buffered.write(line);
    buffered.write('\n');
    size += line.length + 1;
  }

  /// Writes a line that does not count towards the size: it may be larger than the limit.
  void introduce(byte[] line) throws IOException {
    write(line);
    buffered.flush();
    size -= line.length + 1;
  }

  void flush() throws IOException {
    buffered.flush();
  }

  /// Writes the buffered lines and closes the file.
  void close() throws IOException {
    buffered.close();
  }

  /// Closes the file without its buffered lines, because a failed buffer would write again.
  void abandon() throws IOException {
    raw.close();
  }
}
