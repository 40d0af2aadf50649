package dev.muster.server.usage;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjLongConsumer;
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
final class UsageStore implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(UsageStore.class);
  private static final String TIMES = "times";
  private static final String BEGUN = "begun";
  private static final String COUNTED = "counted";

  /// Most accounts of one day that differ by user and project. Tenants choose these freely.
  private static final int MOST_ACCOUNTS = 5_000;

  private final Optional<Path> file;
  private final int keptDays;
  private final Map<LocalDate, Integer> accounts = new HashMap<>();
  private @Nullable MVStore store;
  private boolean complained;

  private UsageStore(Optional<Path> file, int keptDays) {
    this.file = file;
    this.keptDays = keptDays;
  }

  /// Opens a store. Without a file, it is in memory.
  ///
  /// A file that is no store is put aside as `FILE.damaged`: Muster must not wait for its records.
  ///
  /// @param keptDays number of days after which a day is forgotten
  /// @throws IOException if another process has the file, or its folder is missing
  static UsageStore open(Optional<Path> file, int keptDays) throws IOException {
    UsageStore opened = new UsageStore(file, keptDays);
    if (file.isPresent()) {
      Path folder = file.get().toAbsolutePath().getParent();
      if (folder != null && !Files.isDirectory(folder)) {
        throw new IOException(file.get() + ": its folder does not exist.");
      }
    }
    try {
      opened.store();
    } catch (MVStoreException failed) {
      if (failed.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
        throw new IOException(
            file.orElseThrow() + ": another process writes this usage store.", failed);
      }
      if (isDamaged(failed)) {
        opened.putAside(file.orElseThrow());
      } else {
        opened.complain(failed);
      }
    }
    return opened;
  }

  private static boolean isDamaged(MVStoreException failed) {
    return failed.getErrorCode() == DataUtils.ERROR_FILE_CORRUPT
        || failed.getErrorCode() == DataUtils.ERROR_UNSUPPORTED_FORMAT
        || failed.getCause() instanceof EOFException;
  }

  private void putAside(Path damaged) throws IOException {
    Path aside = damaged.resolveSibling(damaged.getFileName() + ".damaged");
    Files.move(damaged, aside, StandardCopyOption.REPLACE_EXISTING);
    log.warn(
        "{} is no usage store, or is damaged. It is now {}; usage begins anew.", damaged, aside);
    store();
  }

  private MVStore store() {
    if (store == null) {
      MVStore.Builder builder = new MVStore.Builder().autoCommitDisabled();
      file.ifPresent(path -> builder.fileName(path.toString()));
      store = builder.open();
      accounts.clear();
    }
    return store;
  }

  private MVMap<String, Long> rows() {
    return store().openMap("gpuMillis");
  }

  private Optional<Instant> time(String name) {
    try {
      MVMap<String, Long> times = store().openMap(TIMES);
      return Optional.ofNullable(times.get(name)).map(Instant::ofEpochMilli);
    } catch (MVStoreException failed) {
      complain(failed);
      return Optional.empty();
    }
  }

  /// Returns the time from which GPU time was counted; empty before the first write.
  Optional<Instant> begun() {
    return time(BEGUN);
  }

  /// Returns the time up to which GPU time was counted; empty before the first write.
  Optional<Instant> counted() {
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
      forget(rows, LocalDate.ofInstant(until, ZoneOffset.UTC).minusDays(keptDays));
      store().commit();
      complained = false;
      return true;
    } catch (MVStoreException failed) {
      complain(failed);
      drop();
      return false;
    }
  }

  private void add(MVMap<String, Long> rows, UsageKey key, long millis) {
    UsageKey row = key;
    if (!rows.containsKey(key.text())) {
      int known = accounts.computeIfAbsent(key.day(), day -> count(rows, day));
      if (known >= MOST_ACCOUNTS) {
        row = new UsageKey(key.day(), key.account().coarse());
      } else {
        accounts.put(key.day(), known + 1);
      }
    }
    rows.merge(row.text(), millis, Long::sum);
  }

  private static int count(MVMap<String, Long> rows, LocalDate day) {
    int count = 0;
    Iterator<String> keys = rows.keyIterator(day.toString());
    while (keys.hasNext() && keys.next().startsWith(day.toString())) {
      count++;
    }
    return count;
  }

  private void forget(MVMap<String, Long> rows, LocalDate oldest) {
    String first = rows.firstKey();
    while (first != null && first.compareTo(oldest.toString()) < 0) {
      rows.remove(first);
      first = rows.firstKey();
    }
    accounts.keySet().removeIf(day -> day.isBefore(oldest));
  }

  /// Visits the rows of these days, both included, in order.
  void each(LocalDate since, LocalDate until, ObjLongConsumer<UsageKey> visitor) {
    String end = until.plusDays(1).toString();
    try {
      MVMap<String, Long> rows = rows();
      var cursor = rows.cursor(since.toString());
      while (cursor.hasNext() && cursor.next().compareTo(end) < 0) {
        visitor.accept(UsageKey.parse(cursor.getKey()), cursor.getValue());
      }
    } catch (MVStoreException failed) {
      complain(failed);
      drop();
    }
  }

  /// True if the rows outlive the process.
  boolean isKept() {
    return file.isPresent();
  }

  private void complain(MVStoreException failed) {
    if (!complained) {
      log.warn(
          "The usage store {} fails ({}). Usage is kept in memory, and each write tries again.",
          file.map(Path::toString).orElse("in memory"),
          failed.getMessage());
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
    }
  }
}
