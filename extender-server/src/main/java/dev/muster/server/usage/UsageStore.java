package dev.muster.server.usage;

import dev.muster.policy.file.FailureText;
import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ObjLongConsumer;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// GPU time by day and account, in a file of H2's MVStore or in memory.
///
/// A write is kept whole or not at all. If the disk fails, the file is opened again before the next
/// write. Callers keep what was not written.
///
/// A file that turns out to be damaged is put aside, and a new one begins: Muster must not wait for
/// its records. One thread at a time uses a store; only [Rows] may be read meanwhile.
final class UsageStore implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(UsageStore.class);
  private static final String ROWS = "gpuMillis";
  private static final String TIMES = "times";
  private static final String BEGUN = "begun";
  private static final String COUNTED = "counted";

  /// Most damaged files that are kept beside the store.
  private static final int MOST_DAMAGED = 10;

  /// Opens a file, or a store in memory.
  interface Opening {
    MVStore open(Optional<Path> file);
  }

  private final Opening opening;
  private final int keptDays;
  private final ConfiguredNames names;
  private final Map<LocalDate, DayAccounts> accounts = new HashMap<>(); // of the last days
  private Optional<Path> file; // empty if the store is in memory
  private @Nullable MVStore store;
  private int stores; // that were put aside
  private boolean complained;

  private UsageStore(Optional<Path> file, int keptDays, ConfiguredNames names, Opening opening) {
    this.file = file;
    this.keptDays = keptDays;
    this.names = names;
    this.opening = opening;
  }

  /// Opens a store. Without a file, it is in memory.
  ///
  /// @param keptDays number of days after which a day is forgotten
  /// @param names names that no limit of accounts takes away
  /// @throws IOException if another process has the file, or its folder is missing
  static UsageStore open(Optional<Path> file, int keptDays, ConfiguredNames names)
      throws IOException {
    return open(file, keptDays, names, UsageStore::opened);
  }

  static UsageStore open(Optional<Path> file, int keptDays, ConfiguredNames names, Opening opening)
      throws IOException {
    UsageStore opened = new UsageStore(file, keptDays, names, opening);
    if (file.isPresent()) {
      Path folder = file.get().toAbsolutePath().getParent();
      if (folder != null && !Files.isDirectory(folder)) {
        throw new IOException(file.get() + ": its folder does not exist.");
      }
    }
    try {
      opened.store();
    } catch (RuntimeException failed) {
      if (code(failed) == DataUtils.ERROR_FILE_LOCKED) {
        throw new IOException(
            file.orElseThrow() + ": another process writes this usage store.", failed);
      }
      opened.failed(failed);
    }
    return opened;
  }

  /// Returns the names that no limit of accounts takes away.
  ConfiguredNames names() {
    return names;
  }

  private static MVStore opened(Optional<Path> file) {
    MVStore.Builder builder = new MVStore.Builder().autoCommitDisabled();
    file.ifPresent(path -> builder.fileName(path.toString()));
    return builder.open();
  }

  /// Returns the code of the failure; 0 if it has none.
  private static int code(RuntimeException failed) {
    return failed instanceof MVStoreException coded ? coded.getErrorCode() : 0;
  }

  /// True if the content of the file is the cause, so that it fails each time.
  ///
  /// Pages are checked when they are read, and not all of their bytes are. So damage may also show
  /// as text or lengths that make no sense.
  private static boolean isDamaged(RuntimeException failed) {
    return switch (code(failed)) {
      case DataUtils.ERROR_FILE_CORRUPT,
          DataUtils.ERROR_UNSUPPORTED_FORMAT,
          DataUtils.ERROR_SERIALIZATION,
          DataUtils.ERROR_CHUNK_NOT_FOUND,
          DataUtils.ERROR_BLOCK_NOT_FOUND ->
          true;
      case 0 ->
          failed instanceof NullPointerException
              || failed instanceof IndexOutOfBoundsException
              || failed instanceof IllegalArgumentException
              || failed instanceof NegativeArraySizeException
              || failed instanceof ClassCastException
              || failed instanceof BufferUnderflowException
              || failed instanceof DateTimeException;
      default -> failed.getCause() instanceof EOFException;
    };
  }

  /// Closes the file after a failure. A damaged one is put aside.
  private void failed(RuntimeException failed) {
    drop();
    if (!isDamaged(failed)) {
      complain(failed);
      return;
    }
    stores++;
    file.ifPresent(damaged -> putAside(damaged, failed));
    try {
      store();
    } catch (RuntimeException again) {
      complain(again);
    }
  }

  private void putAside(Path damaged, RuntimeException cause) {
    try {
      Path aside = moved(damaged);
      log.warn(
          "{} is no usage store, or is damaged ({}). It is now {}; usage begins anew. Budgets keep what was counted of them until a restart.",
          damaged,
          UnreadableUsage.reason(cause),
          aside);
    } catch (IOException stuck) {
      file = Optional.empty();
      log.warn(
          "{} is no usage store, or is damaged ({}), and cannot be moved ({}). Usage begins anew, and is kept in memory until a restart.",
          damaged,
          UnreadableUsage.reason(cause),
          FailureText.of(stuck));
    }
  }

  /// Moves the file to a free name.
  private static Path moved(Path damaged) throws IOException {
    Path aside = damaged;
    for (int i = 0; i < MOST_DAMAGED; i++) {
      aside = damaged.resolveSibling(damaged.getFileName() + ".damaged" + (i == 0 ? "" : "." + i));
      if (!Files.exists(aside, LinkOption.NOFOLLOW_LINKS)) {
        return Files.move(damaged, aside);
      }
    }
    throw new FileAlreadyExistsException(aside.toString());
  }

  private MVStore store() {
    if (store == null) {
      store = opening.open(file);
      accounts.clear();
      Set<String> maps = store.getMapNames();
      if (!maps.isEmpty() && !maps.contains(ROWS) && !maps.contains(TIMES)) {
        throw DataUtils.newMVStoreException(
            DataUtils.ERROR_UNSUPPORTED_FORMAT, "it is a store of another program");
      }
    }
    return store;
  }

  private MVMap<String, Long> rows() {
    return store().openMap(ROWS);
  }

  private Optional<Instant> time(String name) throws UnreadableUsage {
    try {
      MVMap<String, Long> times = store().openMap(TIMES);
      return Optional.ofNullable(times.get(name)).map(Instant::ofEpochMilli);
    } catch (RuntimeException failed) {
      failed(failed);
      throw new UnreadableUsage(failed);
    }
  }

  /// Returns the time from which GPU time was counted; empty before the first write.
  Optional<Instant> begun() throws UnreadableUsage {
    return time(BEGUN);
  }

  /// Returns the time up to which GPU time was counted; empty before the first write.
  Optional<Instant> counted() throws UnreadableUsage {
    return time(COUNTED);
  }

  /// Adds GPU-milliseconds that end at this time. Returns false if they could not be written.
  boolean add(Map<UsageKey, Long> charges, Instant until) {
    try {
      MVMap<String, Long> rows = rows();
      charges.forEach((key, millis) -> add(rows, key, millis));
      MVMap<String, Long> times = store().openMap(TIMES);
      times.putIfAbsent(BEGUN, until.toEpochMilli());
      times.put(COUNTED, until.toEpochMilli());
      LocalDate today = LocalDate.ofInstant(until, ZoneOffset.UTC);
      forget(rows, today.minusDays(keptDays));
      accounts.keySet().removeIf(day -> day.isBefore(today.minusDays(1)));
      store().commit();
      complained = false;
      return true;
    } catch (RuntimeException failed) {
      failed(failed);
      return false;
    }
  }

  private void add(MVMap<String, Long> rows, UsageKey key, long millis) {
    LocalDate day = key.day();
    UsageAccount account =
        accounts
            .computeIfAbsent(day, _ -> DayAccounts.of(names, day, rows.keyIterator(day.toString())))
            .charged(key.account(), each -> rows.containsKey(new UsageKey(day, each).text()));
    rows.merge(new UsageKey(day, account).text(), millis, Long::sum);
  }

  private void forget(MVMap<String, Long> rows, LocalDate oldest) {
    String first = rows.firstKey();
    while (first != null && first.compareTo(oldest.toString()) < 0) {
      rows.remove(first);
      first = rows.firstKey();
    }
  }

  /// Returns the rows of these days, both included, as they are now.
  Rows rows(LocalDate since, LocalDate until) throws UnreadableUsage {
    return rows(since.toString(), UsageKey.end(until));
  }

  private Rows rows(String since, String end) throws UnreadableUsage {
    try {
      return new Rows(store(), stores, rows().cursor(since), since, end);
    } catch (RuntimeException failed) {
      failed(failed);
      throw new UnreadableUsage(failed);
    }
  }

  /// Rows of an earlier moment, which one thread may read while others write.
  ///
  /// @param from the store of the rows
  /// @param stores number of stores that were put aside before this one
  /// @param end after the last row
  record Rows(MVStore from, int stores, Cursor<String, Long> cursor, String since, String end) {
    /// Visits the rows in order. A failure belongs to [UsageStore#failed(Rows)].
    void each(ObjLongConsumer<UsageKey> visitor) throws UnreadableUsage {
      UsageKey.Reader keys = new UsageKey.Reader();
      Map.Entry<UsageKey, Long> row = next(keys);
      while (row != null) {
        visitor.accept(row.getKey(), row.getValue());
        row = next(keys);
      }
    }

    private Map.@Nullable Entry<UsageKey, Long> next(UsageKey.Reader keys) throws UnreadableUsage {
      try {
        return cursor.hasNext() && cursor.next().compareTo(end) < 0
            ? Map.entry(keys.parse(cursor.getKey()), cursor.getValue())
            : null;
      } catch (RuntimeException failed) {
        throw new UnreadableUsage(failed);
      }
    }
  }

  /// Closes the file of rows that could not be read, unless this was done already.
  ///
  /// A page that was overwritten during a very slow read looks damaged, too. So they are read
  /// again.
  void failed(Rows rows) {
    if (rows.from() == store) {
      try {
        rows(rows.since(), rows.end()).each((_, _) -> {});
      } catch (UnreadableUsage again) {
        if (rows.from() == store && again.getCause() instanceof RuntimeException cause) {
          failed(cause);
        }
      }
    }
  }

  /// True if the rows outlive the process.
  boolean isKept() {
    return file.isPresent();
  }

  private void complain(RuntimeException failed) {
    if (!complained) {
      log.warn(
          "The usage store {} fails ({}). New usage is kept in memory, and each write tries again. Pages of usage are refused while it cannot be read, and budgets stay as they are.",
          file.map(Path::toString).orElse("in memory"),
          UnreadableUsage.reason(failed));
    }
    complained = true;
  }

  private void drop() {
    if (store != null) {
      store.closeImmediately();
      store = null;
    }
  }

  @Override
  public void close() {
    if (store != null) {
      store.close();
      store = null;
    }
  }
}
