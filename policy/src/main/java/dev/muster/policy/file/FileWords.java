package dev.muster.policy.file;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Messages for failed file access. For a file that is missing, forbidden or already there, the JDK
/// gives only its name.
public final class FileWords {

  private FileWords() {}

  /// Returns the text of a file named by the user.
  ///
  /// @throws IllegalArgumentException with the file and the reason, if it cannot be read or is not
  ///     UTF-8 text
  public static String text(Path file) {
    if (file.toString().isEmpty()) {
      throw new IllegalArgumentException(
          "\"\": names no file. Maybe a variable of the shell is empty.");
    }
    if (Files.isDirectory(file)) {
      throw new IllegalArgumentException(file + ": is a folder. Maybe name a file in it.");
    }
    try {
      return Files.readString(file);
    } catch (CharacterCodingException _) {
      throw new IllegalArgumentException(
          file + ": is not UTF-8 text. Maybe the path is wrong, or save it as UTF-8.");
    } catch (IOException failed) {
      throw new IllegalArgumentException(file + ": " + of(failed), failed);
    }
  }

  /// Returns the reason of a failure; the caller puts the name of the file before it.
  public static String of(IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ ->
          "there is no such file or folder. Maybe the path is wrong, or make it first.";
      case AccessDeniedException _ ->
          "must not be read or written by this user. Maybe its permissions are wrong.";
      case FileAlreadyExistsException _ ->
          "is there already, as something else. Maybe name another.";
      case NotDirectoryException _ -> "is no folder. Maybe the path is wrong.";
      case FileSystemException other -> remedied(reason(other.getReason()));
      case IOException other -> reason(other.getMessage()) + ". Maybe the disk is damaged.";
    };
  }

  private static String remedied(String reason) {
    return reason + (reason.contains(" Maybe ") ? "." : ". Maybe the path is wrong.");
  }

  private static String reason(@Nullable String told) {
    return Optional.ofNullable(told).orElse("cannot be read or written");
  }
}
