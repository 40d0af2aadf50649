package dev.muster.policy.journal;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.policy.file.CountedInput;
import dev.muster.policy.file.FileErrorText;
import dev.muster.policy.yaml.FileProblem;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// Reads a journal line by line, whatever its size.
///
/// If the journal begins within a run because an earlier file was full, the older files `FILE.1`,
/// `FILE.2` and so on are read first. A line counts once its line break is there: text after the
/// last line break was cut off by a crash and is left out.
public final class JournalReader implements Closeable {

  /// The longest line that is read: 64 MiB, some hundred thousand assignments.
  public static final int MOST_BYTES = 64 << 20;

  private static final Pattern AGED = Pattern.compile("(?<name>.*)\\.(?<age>[1-9][0-9]{0,3})");
  private static final long NO_RUN = -1;

  private final Iterator<Path> files;
  private Path file;
  private InputStream in;
  private int line;
  private long turns = NO_RUN; // of the run so far
  private boolean whole; // no turn is missing since the start of the run or its last image
  private boolean begun;
  private boolean torn;
  private long bytes; // of all files, as on the disk
  private long read; // of the files before this one
  private CountedInput disk = new CountedInput(InputStream.nullInputStream());

  private JournalReader(List<Path> oldestFirst) throws IOException {
    for (Path each : oldestFirst) {
      bytes += Files.size(each);
    }
    this.files = oldestFirst.iterator();
    this.file = files.next();
    this.in = unzipped(file);
  }

  /// Opens the journal, plain or gzip. Problems name it by this path.
  ///
  /// @throws MalformedJournal if it is a folder
  /// @throws IOException if it cannot be opened
  public static JournalReader open(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      throw new MalformedJournal(FileProblem.ofFile(path.toString(), "is a folder."));
    }
    Deque<Path> files = new ArrayDeque<>(List.of(path));
    for (Path older = before(FileRotation.followed(path));
        Files.exists(older) && goesOn(files.getFirst()); ) {
      files.addFirst(older);
      older = before(older);
    }
    return new JournalReader(List.copyOf(files));
  }

  /// Returns the name of the file that was written before this one.
  ///
  /// A number at the end may belong to the journal's own name; then the older file has another
  /// number after it.
  private static Path before(Path file) {
    Path own = file.resolveSibling(file.getFileName() + ".1");
    Matcher aged = AGED.matcher(file.getFileName().toString());
    if (Files.exists(own) || !aged.matches()) {
      return own;
    }
    return file.resolveSibling(
        aged.group("name") + "." + (Integer.parseInt(aged.group("age")) + 1));
  }

  /// True if the file begins within a run. Its faults are reported when it is read.
  private static boolean goesOn(Path file) throws IOException {
    try (JournalReader alone = new JournalReader(List.of(file))) {
      Optional<byte[]> first = alone.nextLine();
      return first.isPresent() && JournalJson.goesOn(alone.text(first.get()));
    } catch (MalformedJournal _) {
      return false;
    }
  }

  private InputStream unzipped(Path path) throws IOException {
    read += disk.count();
    disk = new CountedInput(Files.newInputStream(path));
    InputStream in = new BufferedInputStream(disk);
    try {
      in.mark(2);
      boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
      in.reset();
      return zipped ? new BufferedInputStream(new GZIPInputStream(in)) : in;
    } catch (EOFException | ZipException _) {
      in.close();
      throw damaged(path);
    } catch (IOException failed) {
      in.close();
      throw unreadable(path, failed);
    }
  }

  /// Returns the next line; empty at the end.
  ///
  /// The first line is a header or a continuation. Every further header starts another run. A
  /// continuation or an image is returned only if turns are missing before it.
  ///
  /// @throws MalformedJournal if the line is not understood; reading on skips it
  /// @throws IOException if the file cannot be read
  public Optional<JournalEntry> next() throws IOException {
    while (true) {
      Optional<byte[]> bytes = nextLine();
      if (bytes.isEmpty() && !files.hasNext()) {
        return Optional.empty();
      }
      if (bytes.isEmpty()) {
        nextFile();
      } else {
        JournalEntry entry = entry(text(bytes.get()));
        if (!isSeamless(entry)) {
          return Optional.of(entry);
        }
      }
    }
  }

  private JournalEntry entry(String text) throws MalformedJournal {
    if (!begun) {
      demandHeader(text);
    }
    JournalEntry entry = parse(text);
    begun = true;
    return entry;
  }

  /// Returns the fault of a file without a whole line.
  MalformedJournal noSnapshot() {
    return new LineFault(file.toString(), 1)
        .of(
            "The file is not a snapshot: it has no whole line. `muster simulate export` writes one.");
  }

  private void nextFile() throws IOException {
    in.close();
    file = files.next();
    in = unzipped(file);
    line = 0;
  }

  /// True if the entry only repeats facts of the lines before it. Updates the count of turns.
  private boolean isSeamless(JournalEntry entry) {
    return switch (entry) {
      case JournalHeader _ -> {
        turns = 0;
        whole = true;
        yield false;
      }
      case JournalEntry.Turn _ -> {
        turns += turns == NO_RUN ? 0 : 1;
        yield false;
      }
      case JournalEntry.Continuation(long before) -> {
        boolean seamless = before == turns;
        turns = before;
        whole &= seamless;
        yield seamless;
      }
      case JournalEntry.Image image -> {
        boolean seamless = whole && image.turns() == turns;
        turns = image.turns();
        whole = true;
        yield seamless;
      }
    };
  }

  private JournalEntry parse(String text) throws MalformedJournal {
    try {
      return JournalJson.read(text);
    } catch (IOException bad) {
      throw fault().of(bad);
    } catch (RuntimeException refused) {
      throw fault().of(refused);
    }
  }

  /// Returns the supplier's value; reports its exception as a fault of the last line read.
  <T> T made(Supplier<T> making) throws MalformedJournal {
    try {
      return making.get();
    } catch (RuntimeException refused) {
      throw fault().of(refused);
    }
  }

  /// Returns the engine's step on the last event read.
  Step step(Engine engine, State before, Event event) throws MalformedJournal {
    try {
      return engine.step(before, event);
    } catch (RuntimeException cause) {
      throw fault().failed(cause);
    }
  }

  private String text(byte[] bytes) throws MalformedJournal {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      throw fault()
          .of(
              begun
                  ? "The line is not UTF-8 text."
                  : "The file is not a journal: it is not UTF-8 text.");
    }
  }

  private void demandHeader(String text) throws MalformedJournal {
    if (JournalJson.isTurn(text)) {
      throw fault().of("The journal does not start with a header.");
    }
    if (!JournalJson.isHeader(text)) {
      throw fault()
          .of(
              "The file is not a journal: its first line is not a header, which begins with apiVersion.");
    }
  }

  private Optional<byte[]> nextLine() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int next = nextByte();
    line += next == -1 ? 0 : 1;
    while (next != -1 && next != '\n') {
      if (bytes.size() == MOST_BYTES) {
        throw fault().of("The line is longer than 64 MiB.");
      }
      bytes.write(next);
      next = nextByte();
    }
    torn = next == -1 && bytes.size() > 0;
    return next == -1 ? Optional.empty() : Optional.of(bytes.toByteArray());
  }

  private int nextByte() throws IOException {
    try {
      return in.read();
    } catch (EOFException | ZipException _) {
      throw damaged(file);
    } catch (IOException failed) {
      throw unreadable(file, failed);
    }
  }

  /// Wraps a read failure, because its own message does not name the open file.
  private static MalformedJournal unreadable(Path file, IOException failed) {
    return new MalformedJournal(
        FileProblem.ofFile(file.toString(), FileErrorText.of(failed)), failed);
  }

  private static MalformedJournal damaged(Path file) {
    return new MalformedJournal(
        FileProblem.ofFile(file.toString(), "the compressed data is cut off or damaged."));
  }

  /// Returns the builder of messages about the last line read.
  LineFault fault() {
    return new LineFault(file.toString(), line);
  }

  /// Returns the file that is being read.
  public Path file() {
    return file;
  }

  /// Returns the number of the last line read in its file, counted from 1; 0 at first.
  public int line() {
    return line;
  }

  /// Returns the share of all files that was read, 0 to 1; 1 if unknown, as for a pipe.
  public double share() {
    return bytes == 0 ? 1 : Math.min(1, (double) (read + disk.count()) / bytes);
  }

  /// True if the last file ended within a line, which was left out.
  public boolean isTorn() {
    return torn;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
