package dev.muster.policy.file;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.policy.yaml.FieldFault;
import dev.muster.policy.yaml.FileProblem;
import dev.muster.policy.yaml.YamlDocument;
import dev.muster.policy.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;

/// Reads YAML files of one of several kinds strictly: everything unknown is a problem.
///
/// All problems are reported at once; only after a YAML syntax error the rest of the file stays
/// unread. Never throws because of a file, and takes bounded time on any file.
///
/// @param <T> the common type of the kinds
public final class StrictReader<T> {

  /// The largest file that is read: 1 MiB.
  public static final int MOST_BYTES = 1 << 20;

  private static final int REVISION_DIGITS = 12;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final List<FileKind<? extends T>> kinds;

  /// Creates a reader for files of any of `kinds`, at least one.
  public StrictReader(List<FileKind<? extends T>> kinds) {
    if (kinds.isEmpty()) {
      throw new IllegalArgumentException("A strict reader needs at least one kind of file.");
    }
    this.kinds = List.copyOf(kinds);
  }

  /// Reads the regular file at `path`; problems name it by this path.
  public Loaded<T> read(Path path) {
    String file = path.toString();
    if (!Files.exists(path)) {
      return unreadable(file, "no such file.");
    }
    if (!Files.isRegularFile(path)) {
      return unreadable(file, "is not a regular file.");
    }
    try (InputStream in = Files.newInputStream(path)) {
      return read(file, in.readNBytes(MOST_BYTES + 1));
    } catch (IOException failed) {
      return unreadable(file, FileErrorText.of(failed));
    }
  }

  private static <T> Loaded<T> unreadable(String file, String message) {
    return new Loaded.Invalid<>(List.of(FileProblem.ofFile(file, message)));
  }

  /// Reads `content`. Problems name it `file`.
  public Loaded<T> read(String file, byte[] content) {
    return together(new TreeMap<>(Map.of(file, content)));
  }

  /// Reads files of one kind into one value, in their order; [Merge] defines how they combine.
  ///
  /// The revision of several files is that of the text `sha256sum` prints for them, by file name
  /// without folder.
  ///
  /// @param contents content of at least one file, by the name that problems use
  public Loaded<T> together(SequencedMap<String, byte[]> contents) {
    List<FileProblem> problems = new ArrayList<>();
    List<YamlDocument> documents = new ArrayList<>();
    contents.forEach(
        (file, content) -> document(file, content, problems).ifPresent(documents::add));
    Optional<FileKind<? extends T>> kind = kind(documents, problems);
    if (kind.isEmpty() || documents.isEmpty()) {
      return new Loaded.Invalid<>(problems);
    }
    YamlDocument merged = kind.get().merged(documents);
    problems.addAll(merged.problems());
    problems.addAll(kind.get().disagreements(merged));
    return problems.isEmpty()
        ? widen(kind.get().bind(merged, revision(contents)))
        : new Loaded.Invalid<>(problems);
  }

  /// Returns the advice on files that are valid, each with its place.
  ///
  /// @param contents content of at least one file, by the name that problems use
  /// @param advice returns the advice on the merged document
  /// @return the advice in the order of the files; empty if a file is not valid
  public List<FileProblem> advice(
      SequencedMap<String, byte[]> contents, Function<JsonNode, List<FieldFault>> advice) {
    List<FileProblem> problems = new ArrayList<>();
    List<YamlDocument> documents = new ArrayList<>();
    contents.forEach(
        (file, content) -> document(file, content, problems).ifPresent(documents::add));
    Optional<FileKind<? extends T>> kind = kind(documents, problems);
    if (kind.isEmpty() || documents.isEmpty() || !problems.isEmpty()) {
      return List.of();
    }
    YamlDocument merged = kind.get().merged(documents);
    if (!merged.problems().isEmpty() || !kind.get().disagreements(merged).isEmpty()) {
      return List.of();
    }
    return advice.apply(merged.root()).stream().map(merged::at).distinct().sorted().toList();
  }

  private Optional<YamlDocument> document(String file, byte[] content, List<FileProblem> problems) {
    if (content.length > MOST_BYTES) {
      String tooLarge = "is larger than 1 MiB.";
      problems.add(FileProblem.ofFile(file, tooLarge));
      return Optional.empty();
    }
    Optional<String> text = decode(file, content, problems);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    YamlDocument document = YamlReader.read(file, text.get());
    problems.addAll(document.problems());
    boolean empty = document.root().isMissingNode() || document.root().isNull();
    if (empty && document.problems().isEmpty()) {
      String message = "is empty. " + FileHeader.remedy(kinds);
      problems.add(FileProblem.ofFile(file, message));
    }
    return empty ? Optional.empty() : Optional.of(document);
  }

  /// Returns the kind of all documents if they agree; adds their header and schema problems.
  private Optional<FileKind<? extends T>> kind(
      List<YamlDocument> documents, List<FileProblem> problems) {
    Optional<FileKind<? extends T>> first = Optional.empty();
    boolean unclear = false;
    for (YamlDocument document : documents) {
      FileHeader<T> header = FileHeader.of(document, kinds);
      problems.addAll(header.problems());
      header.kind().ifPresent(kind -> problems.addAll(kind.misfits(document)));
      unclear |= header.kind().isEmpty();
      if (first.isEmpty()) {
        first = header.kind();
      } else if (header.kind().isPresent() && header.kind().get() != first.get()) {
        unclear = true;
        problems.add(FileProblem.ofFile(document.file(), otherKind(first.get())));
      }
    }
    return unclear ? Optional.empty() : first;
  }

  private static String otherKind(FileKind<?> first) {
    return "is of another kind than the file before it (%s). All files of a folder must be of one kind."
        .formatted(first.header());
  }

  private Loaded<T> widen(Loaded<? extends T> loaded) {
    return switch (loaded) {
      case Loaded.Valid<? extends T>(T value, String revision) ->
          new Loaded.Valid<>(value, revision);
      case Loaded.Invalid<? extends T>(List<FileProblem> problems) ->
          new Loaded.Invalid<>(problems);
    };
  }

  private static Optional<String> decode(String file, byte[] content, List<FileProblem> problems) {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    CharBuffer signs = CharBuffer.allocate(content.length); // a sign has at least one byte
    CoderResult end = StandardCharsets.UTF_8.newDecoder().decode(bytes, signs, true);
    String read = signs.flip().toString();
    boolean marked = !read.isEmpty() && read.charAt(0) == BYTE_ORDER_MARK;
    String text = marked ? read.substring(1) : read;
    if (!end.isError()) {
      return Optional.of(text);
    }
    String before = text.substring(text.lastIndexOf('\n') + 1);
    problems.add(
        new FileProblem(
            file,
            (int) text.chars().filter(sign -> sign == '\n').count() + 1,
            before.codePointCount(0, before.length()) + 1,
            "",
            "is not UTF-8 text: the byte 0x%02X is not allowed here. Save the file as UTF-8."
                .formatted(bytes.get())));
    return Optional.empty();
  }

  private static String revision(SequencedMap<String, byte[]> contents) {
    if (contents.size() == 1) {
      return digest(contents.firstEntry().getValue()).substring(0, REVISION_DIGITS);
    }
    StringBuilder listing = new StringBuilder();
    contents.forEach((file, content) -> {
      Path name = Path.of(file).getFileName();
      listing.append(digest(content)).append("  ").append(name).append('\n');
    });
    return digest(listing.toString().getBytes(StandardCharsets.UTF_8))
        .substring(0, REVISION_DIGITS);
  }

  private static String digest(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("Every Java platform has SHA-256.", impossible);
    }
  }
}
