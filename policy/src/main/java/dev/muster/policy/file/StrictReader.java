package dev.muster.policy.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Reads one YAML file of one of several kinds, strictly: whatever is not understood is a problem,
 * and all problems are told at once. Only after a YAML syntax error the rest of the file stays
 * unread. Never throws because of a file, and works a bounded time on any file.
 *
 * @param <T> what the kinds have in common
 */
public final class StrictReader<T> {

  /** The largest file that is read: 1 MiB. */
  public static final int MOST_BYTES = 1 << 20;

  private static final int REVISION_DIGITS = 12;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final List<FileKind<? extends T>> kinds;

  /** A reader for files of any of {@code kinds}, at least one. */
  public StrictReader(List<FileKind<? extends T>> kinds) {
    if (kinds.isEmpty()) {
      throw new IllegalArgumentException("A strict reader needs at least one kind of file.");
    }
    this.kinds = List.copyOf(kinds);
  }

  /** Reads the regular file at {@code path}; problems name it just so. */
  public Loaded<T> read(Path path) {
    String file = path.toString();
    if (!Files.exists(path)) {
      return unreadable(file, "there is no such file. Maybe the path is wrong or not mounted.");
    }
    if (!Files.isRegularFile(path)) {
      return unreadable(file, "is not a regular file. Maybe name a file inside it.");
    }
    try (InputStream in = Files.newInputStream(path)) {
      return read(file, in.readNBytes(MOST_BYTES + 1));
    } catch (IOException failed) {
      return unreadable(file, "cannot be read: " + failed + ". Maybe the permissions are wrong.");
    }
  }

  /** Reads {@code content}; problems call it {@code file}. */
  public Loaded<T> read(String file, byte[] content) {
    if (content.length > MOST_BYTES) {
      return unreadable(file, "is larger than 1 MiB. Maybe it is not the file you meant.");
    }
    return decode(content)
        .map(text -> check(YamlReader.read(file, text), revision(content)))
        .orElseGet(() -> unreadable(file, "is not UTF-8 text. Maybe save it as UTF-8."));
  }

  private Loaded<T> check(YamlDocument document, String revision) {
    List<FileProblem> problems = new ArrayList<>(document.problems());
    if (document.root().isMissingNode() || document.root().isNull()) {
      if (problems.isEmpty()) {
        problems.add(FileProblem.ofFile(document.file(), "is empty. " + FileHeader.remedy(kinds)));
      }
      return new Loaded.Invalid<>(problems);
    }
    FileHeader<T> header = FileHeader.of(document, kinds);
    problems.addAll(header.problems());
    Optional<FileKind<? extends T>> kind = header.kind();
    kind.ifPresent(k -> problems.addAll(k.problems(document)));
    return kind.isPresent() && problems.isEmpty()
        ? widen(kind.get().bind(document, revision))
        : new Loaded.Invalid<>(problems);
  }

  private Loaded<T> widen(Loaded<? extends T> loaded) {
    return switch (loaded) {
      case Loaded.Valid<? extends T>(T value, String revision) ->
          new Loaded.Valid<>(value, revision);
      case Loaded.Invalid<? extends T>(List<FileProblem> problems) ->
          new Loaded.Invalid<>(problems);
    };
  }

  private Loaded<T> unreadable(String file, String message) {
    return new Loaded.Invalid<>(List.of(FileProblem.ofFile(file, message)));
  }

  private static Optional<String> decode(byte[] content) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
      boolean marked = !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK;
      return Optional.of(marked ? text.substring(1) : text);
    } catch (CharacterCodingException notUtf8) {
      return Optional.empty();
    }
  }

  private static String revision(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(digest).substring(0, REVISION_DIGITS);
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("Every Java platform has SHA-256.", impossible);
    }
  }
}
