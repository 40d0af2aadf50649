package dev.muster.policy.file;

import dev.muster.policy.yaml.ShownValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Messages for failed file access. For a file that is missing, forbidden or already there, the JDK
/// gives only its name.
public final class FileErrorText {

  /// The largest file that is read as one text: 16 MiB.
  private static final int MOST_BYTES = 16 << 20;

  private FileErrorText() {}

  /// Returns the path that a user wrote.
  ///
  /// @throws IllegalArgumentException with the text, if a path cannot have one of its characters
  public static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException _) {
      throw new IllegalArgumentException(
          "\"%s\" has a character that no path has in %s, the character set of the locale."
              .formatted(
                  ShownValue.text(text), System.getProperty("sun.jnu.encoding", "another one")));
    }
  }

  /// Returns the text of a file named by the user.
  ///
  /// @throws IllegalArgumentException with the file and the reason, if it cannot be read, is too
  ///   large or is not UTF-8 text
  public static String text(Path file) {
    if (file.toString().isEmpty()) {
      throw new IllegalArgumentException("\"\": empty file name.");
    }
    if (Files.isDirectory(file)) {
      throw new IllegalArgumentException(file + ": is a folder.");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw new IllegalArgumentException(file + ": is larger than 16 MiB.");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      throw new IllegalArgumentException(file + ": is not UTF-8 text.");
    } catch (IOException failed) {
      throw new IllegalArgumentException(file + ": " + of(failed), failed);
    }
  }

  /// Returns the reason of a failure; the caller puts the name of the file before it.
  public static String of(IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> "no such file or folder.";
      case AccessDeniedException _ -> "permission denied.";
      case FileAlreadyExistsException _ -> "exists already, as another kind of file.";
      case NotDirectoryException _ -> "is not a folder.";
      case FileSystemException other -> reason(other.getReason()) + ".";
      case IOException other -> reason(other.getMessage()) + ".";
    };
  }

  private static String reason(@Nullable String given) {
    return Optional.ofNullable(given).orElse("cannot be read or written");
  }
}
