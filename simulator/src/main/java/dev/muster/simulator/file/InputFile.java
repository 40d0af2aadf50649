package dev.muster.simulator.file;

import dev.muster.policy.file.CountedInput;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/// A file to read, plain or compressed with gzip.
///
/// @param path its path as the user named it
public record InputFile(Path path) {
  private static final int BUFFER = 1 << 16;
  private static final int HEAD = 1 << 13;

  /// The file as the user named it.
  public String file() {
    return path.toString();
  }

  /// Opens its content, unzipped.
  ///
  /// @throws MalformedFile if it cannot be opened
  public InputStream stream() {
    return unzipped(bytes());
  }

  /// Opens its content as UTF-8 text.
  public BufferedReader reader() {
    return measured().reader();
  }

  /// Opens its content as UTF-8 text that measures the share read.
  ///
  /// A line that is too long ([LineLimit]) is a [MalformedFile].
  public MeasuredText measured() {
    CountedInput bytes = new CountedInput(bytes());
    InputStream text = unzipped(bytes);
    return new MeasuredText(
        new BufferedReader(
            new LineLimit(file(), new InputStreamReader(text, StandardCharsets.UTF_8.newDecoder())),
            BUFFER),
        bytes,
        size());
  }

  private InputStream bytes() {
    if (path.toString().isEmpty()) {
      throw MalformedFile.ofFile("\"\"", "empty file name.");
    }
    if (!Files.exists(path)) {
      throw MalformedFile.ofFile(file(), "no such file.");
    }
    if (Files.isDirectory(path)) {
      throw MalformedFile.ofFile(file(), "is a folder.");
    }
    if (!Files.isRegularFile(path)) {
      throw MalformedFile.ofFile(file(), "is not a regular file.");
    }
    try {
      return Files.newInputStream(path);
    } catch (AccessDeniedException _) {
      throw MalformedFile.ofFile(file(), "permission denied.");
    } catch (IOException failed) {
      throw unreadable(failed);
    }
  }

  private long size() {
    try {
      return Files.size(path);
    } catch (IOException failed) {
      throw unreadable(failed);
    }
  }

  private InputStream unzipped(InputStream bytes) {
    try {
      InputStream in = new BufferedInputStream(bytes, BUFFER);
      in.mark(2);
      boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
      in.reset();
      return text(zipped ? new BufferedInputStream(new Unzipped(in)) : in);
    } catch (IOException failed) {
      throw unreadable(failed);
    }
  }

  /// A gzip stream that rejects uncompressed data after the last member.
  ///
  /// The JDK's stream ignores such data without an error. It occurs where a compressed and a plain
  /// file were joined, or a file was damaged.
  private static final class Unzipped extends GZIPInputStream {
    private static final int TRAILER = 8;

    Unzipped(InputStream in) throws IOException {
      super(in, BUFFER);
    }

    @Override
    public int read(byte[] bytes, int from, int most) throws IOException {
      int read = super.read(bytes, from, most);
      if (read < 0 && most > 0) {
        boolean padded = true; // some archives pad with zeros
        for (int i = len - inf.getRemaining() + TRAILER; i < len; i++) {
          padded &= buf[i] == 0;
        }
        for (int next = in.read(); next >= 0 && padded; next = in.read()) {
          padded = next == 0;
        }
        if (!padded) {
          throw new ZipException("uncompressed data after the compressed data");
        }
      }
      return read;
    }
  }

  /// Skips the byte order mark of UTF-8 (EF BB BF), which some editors and spreadsheets write.
  private InputStream text(InputStream in) throws IOException {
    in.mark(3);
    int first = in.read();
    int second = in.read();
    if ((first == 0xff && second == 0xfe) || (first == 0xfe && second == 0xff)) {
      throw MalformedFile.ofFile(file(), "is UTF-16 text; expected UTF-8.");
    }
    boolean marked = first == 0xef && second == 0xbb && in.read() == 0xbf;
    if (!marked) {
      in.reset();
    }
    return in;
  }

  /// Reads its beginning.
  public FileHead head() {
    try (InputStream in = stream()) {
      return new FileHead(new String(in.readNBytes(HEAD), StandardCharsets.UTF_8));
    } catch (IOException failed) {
      throw unreadable(failed);
    }
  }

  /// Returns the error for a read failure, an I/O exception or one that wraps it.
  public MalformedFile unreadable(Exception failed) {
    @Nullable Throwable cause = failed instanceof UncheckedIOException ? failed.getCause() : failed;
    String wrong =
        switch (cause) {
          case EOFException _ -> "ends unexpectedly.";
          case CharacterCodingException _ -> "is not UTF-8 text.";
          case ZipException damaged -> "cannot be unzipped: %s.".formatted(damaged.getMessage());
          case null, default -> "cannot be read: %s.".formatted(cause);
        };
    return MalformedFile.ofFile(file(), wrong);
  }
}
