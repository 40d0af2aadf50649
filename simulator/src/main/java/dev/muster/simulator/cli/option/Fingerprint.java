package dev.muster.simulator.cli.option;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// A hash of all inputs on which results depend.
///
/// Files count by content, independent of their path.
public final class Fingerprint {
  private static final int DIGITS = 16;

  private final MessageDigest digest;

  Fingerprint() {
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("Every Java platform has SHA-256.", impossible);
    }
  }

  /// Adds values whose texts are equal only if the values are equal.
  Fingerprint with(Object... values) {
    for (Object value : values) {
      digest.update(value.toString().getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
    return this;
  }

  /// Adds the content of a file; a missing file adds no content.
  public Fingerprint withFile(@Nullable Path file) {
    if (file != null && Files.isRegularFile(file)) {
      try (InputStream in = Files.newInputStream(file)) {
        byte[] part = new byte[1 << 16];
        for (int read = in.read(part); read >= 0; read = in.read(part)) {
          digest.update(part, 0, read);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return with("end of file");
  }

  /// Returns the first 16 hexadecimal digits of the SHA-256 hash.
  public String text() {
    return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
  }
}
