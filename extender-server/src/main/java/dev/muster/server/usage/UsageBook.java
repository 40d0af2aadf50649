package dev.muster.server.usage;

import dev.muster.core.admission.Queues;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.state.Step;
import dev.muster.policy.config.Budget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The GPU time of all gangs, by day and account.
///
/// The engine's thread only notes what changed. Another thread adds the time to the store, every 10
/// s. Readers see what is in the store.
public final class UsageBook implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(UsageBook.class);

  /// Time between two writes.
  static final Duration WRITTEN_EVERY = Duration.ofSeconds(10);

  /// Days after which a day is forgotten, where no other number is configured.
  private static final int KEPT_DAYS = 400;

  private final UsageStore store;
  private final BudgetSums budgets;
  private final UsageMeter meter; // guarded by meter

  /// GPU-milliseconds that are not in the store yet; guarded by meter.
  private UsageCharges charges;

  /// GPU-milliseconds that the store refused; guarded by store.
  private final UsageCharges refused;

  private final ScheduledExecutorService writer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("muster-usage").factory());

  private UsageBook(UsageStore store, List<Budget> budgets) {
    this.store = store;
    this.budgets = new BudgetSums(budgets);
    this.charges = new UsageCharges(store.names());
    this.refused = new UsageCharges(store.names());
    this.meter = new UsageMeter(countedBefore(store), this::charge);
  }

  private static Optional<Instant> countedBefore(UsageStore store) {
    try {
      return store.counted();
    } catch (UnreadableUsage _) { // the store has said so
      return Optional.empty();
    }
  }

  /// Opens a book that continues an existing file. Without a file, it begins at 0.
  ///
  /// @param keptDays number of days after which a day is forgotten
  /// @throws IOException if another process has the file
  public static UsageBook open(Optional<Path> file, int keptDays) throws IOException {
    return open(file, keptDays, Queues.NONE, List.of(), Instant.EPOCH);
  }

  /// Opens a book as [#open(Optional, int)] does, and counts what is used of these budgets.
  ///
  /// @param queues the configured queues
  /// @param now the present moment
  /// @throws IOException if another process has the file
  public static UsageBook open(
      Optional<Path> file, int keptDays, Queues queues, List<Budget> budgets, Instant now)
      throws IOException {
    ConfiguredNames names = ConfiguredNames.of(queues, budgets);
    return open(UsageStore.open(file, keptDays, names), budgets, now);
  }

  static UsageBook open(UsageStore store, List<Budget> budgets, Instant now) {
    UsageBook book = new UsageBook(store, budgets);
    book.budgets.count(book, now);
    return book;
  }

  /// Returns an empty book that forgets all with the process.
  public static UsageBook inMemory() {
    try {
      return open(Optional.empty(), KEPT_DAYS);
    } catch (IOException impossible) {
      throw new UncheckedIOException("Memory is no file.", impossible);
    }
  }

  /// Writes from now on, until the book is closed.
  public UsageBook start() {
    long every = WRITTEN_EVERY.toMillis();
    var _ = writer.scheduleWithFixedDelay(this::writeAgain, every, every, TimeUnit.MILLISECONDS);
    return this;
  }

  /// Writes. An error must not end the schedule.
  private void writeAgain() {
    try {
      write();
    } catch (RuntimeException failed) {
      log.error("Usage could not be written; the next write tries again.", failed);
    }
  }

  private void charge(UsageKey key, long millis) {
    charges.add(key, millis);
  }

  /// Notes what a step changed. Called by the engine's thread only.
  public void note(Step step) {
    synchronized (meter) {
      meter.seen(step.after().cluster());
    }
  }

  /// Adds the time up to the newest image to the store.
  public void write() {
    Optional<Instant> until;
    synchronized (store) {
      UsageCharges added;
      synchronized (meter) {
        until = meter.settle();
        added = charges;
        charges = new UsageCharges(store.names());
      }
      refused.add(added);
      if (until.isPresent() && store.add(refused.sums(), until.get())) {
        refused.clear();
      }
    }
    until.ifPresent(at -> budgets.count(this, at));
  }

  /// Returns what is used of each budget, as of the last count that succeeded.
  public List<BudgetStanding> budgets() {
    return budgets.standings();
  }

  /// Returns what is used of each budget now.
  ///
  /// @throws UnreadableUsage if the last count failed
  public List<BudgetStanding> budgetsNow() throws UnreadableUsage {
    return budgets.standingsNow();
  }

  /// Tells the receiver which budgets keep gangs from starting, now and after each change.
  ///
  /// Now it is told only if there are any. The thread that writes calls it with the moment.
  public void follow(BiConsumer<Instant, List<SpentBudget>> receiver) {
    budgets.follow(receiver);
  }

  /// Visits the GPUs that pods hold now, by account. An account may be visited many times.
  void eachHolding(ObjIntConsumer<UsageAccount> visitor) {
    synchronized (meter) {
      meter.each(visitor);
    }
  }

  /// Visits the GPU-milliseconds of these days, both included. A key may be visited twice.
  ///
  /// Others may write meanwhile.
  ///
  /// @return number of damaged stores whose rows are missing
  /// @throws UnreadableUsage if not all rows were visited
  public int each(LocalDate since, LocalDate until, ObjLongConsumer<UsageKey> visitor)
      throws UnreadableUsage {
    UsageStore.Rows rows;
    Map<UsageKey, Long> unwritten;
    synchronized (store) {
      rows = store.rows(since, until);
      unwritten = new HashMap<>(refused.sums()); // Map.copyOf is slow if hash codes are equal
    }
    try {
      rows.each(visitor);
    } catch (UnreadableUsage failed) {
      synchronized (store) {
        store.failed(rows);
      }
      throw failed;
    }
    unwritten.forEach((key, millis) -> {
      if (!key.day().isBefore(since) && !key.day().isAfter(until)) {
        visitor.accept(key, millis);
      }
    });
    return rows.stores();
  }

  /// Returns when counting began; empty before the first write.
  public Optional<Instant> begun() throws UnreadableUsage {
    synchronized (store) {
      return store.begun();
    }
  }

  /// Returns up to when GPU time was counted; empty before the first write.
  public Optional<Instant> counted() throws UnreadableUsage {
    synchronized (store) {
      return store.counted();
    }
  }

  /// True if the numbers outlive the process.
  public boolean isKept() {
    synchronized (store) {
      return store.isKept();
    }
  }

  /// Writes once more, and closes the store.
  @Override
  public void close() {
    writer.shutdown(); // no interrupt: it would close the file in the midst of a write
    write();
    synchronized (store) {
      store.close();
    }
  }
}
