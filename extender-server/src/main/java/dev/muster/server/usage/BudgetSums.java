package dev.muster.server.usage;

import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.policy.config.Budget;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Adds up what is used of each budget.
///
/// Usage of the last two days is read each time. Usage of older days no longer changes, so it is
/// read once.
final class BudgetSums {
  private static final Logger log = LoggerFactory.getLogger(BudgetSums.class);

  /// The unit of [SpentBudget].
  private static final long MILLIS_PER_HOUR = Duration.ofHours(1).toMillis();

  private final List<Budget> budgets;
  private final Set<BudgetOwner> owners;

  /// GPU-milliseconds by day; guarded by this.
  private final TreeMap<LocalDate, Map<BudgetOwner, Long>> days = new TreeMap<>();

  /// What was counted of days in stores that were put aside; guarded by this.
  private final TreeMap<LocalDate, Map<BudgetOwner, Long>> lost = new TreeMap<>();

  private int stores; // that were put aside before the last count; guarded by this
  private Instant counted = Instant.MIN; // guarded by this
  private BiConsumer<Instant, List<SpentBudget>> told = (_, _) -> {}; // guarded by this
  private List<SpentBudget> holding = List.of(); // guarded by this
  private volatile List<BudgetStanding> standings = List.of();
  private volatile @Nullable UnreadableUsage failure; // of the last count

  BudgetSums(List<Budget> budgets) {
    this.budgets = List.copyOf(budgets);
    this.owners = budgets.stream().map(Budget::owner).collect(Collectors.toSet());
  }

  /// Returns the budgets in their order, as of the last count; none before the first one.
  List<BudgetStanding> standings() {
    return standings;
  }

  /// Returns the budgets in their order, as of now.
  ///
  /// @throws UnreadableUsage if the last count failed
  List<BudgetStanding> standingsNow() throws UnreadableUsage {
    UnreadableUsage failed = failure;
    if (failed != null) {
      throw failed;
    }
    return standings;
  }

  /// Tells the receiver which budgets keep gangs from starting: now, if there are any, and after
  /// each change. The caller of [#count] calls it.
  synchronized void follow(BiConsumer<Instant, List<SpentBudget>> receiver) {
    told = receiver;
    if (!holding.isEmpty()) {
      receiver.accept(counted, holding);
    }
  }

  /// Counts what is used now. If the usage cannot be read, all stays as it was counted before.
  ///
  /// @param now the moment; an earlier one than before counts as the last one
  synchronized void count(UsageBook book, Instant now) {
    if (budgets.isEmpty()) {
      return;
    }
    LocalDate first;
    try {
      first = read(book, now);
      failure = null;
    } catch (UnreadableUsage failed) {
      complain();
      failure = failed;
      return;
    }
    Map<BudgetOwner, Integer> gpus = new HashMap<>();
    book.eachHolding((account, count) -> {
      for (BudgetOwner owner : of(account)) {
        gpus.merge(owner, count, Integer::sum);
      }
    });
    List<BudgetStanding> counts = new ArrayList<>();
    for (Budget budget : budgets) {
      LocalDate since = budget.period().first(day(counted));
      long used = 0;
      for (Map<BudgetOwner, Long> sums : days.tailMap(since).values()) {
        used += sums.getOrDefault(budget.owner(), 0L);
      }
      counts.add(new BudgetStanding(budget, counted, used, gpus.getOrDefault(budget.owner(), 0)));
    }
    days.headMap(first).clear();
    lost.headMap(first).clear();
    logSpent(counts);
    standings = List.copyOf(counts);
    hold(counts);
  }

  /// Reads the days that may have changed, and returns the first day that still counts.
  private LocalDate read(UsageBook book, Instant now) throws UnreadableUsage {
    boolean begins = counted.equals(Instant.MIN);
    LocalDate today = day(now.isAfter(counted) ? now : counted);
    LocalDate first =
        budgets.stream()
            .map(each -> each.period().first(today))
            .min(Comparator.naturalOrder())
            .orElse(today);
    LocalDate changed = begins ? first : day(counted).minusDays(1);
    LocalDate from = changed.isBefore(first) ? first : changed;
    TreeMap<LocalDate, Map<BudgetOwner, Long>> read = new TreeMap<>();
    int aside =
        book.each(
            from,
            today,
            (key, millis) -> {
              for (BudgetOwner owner : of(key.account())) {
                add(read, key.day(), owner, millis);
              }
            });
    if (aside != stores) {
      lost.putAll(days);
      stores = aside;
    }
    lost.tailMap(from)
        .forEach((day, sums) -> sums.forEach((owner, sum) -> add(read, day, owner, sum)));
    days.tailMap(from).clear();
    days.putAll(read);
    counted = now.isAfter(counted) ? now : counted;
    return first;
  }

  private static void add(
      Map<LocalDate, Map<BudgetOwner, Long>> to, LocalDate day, BudgetOwner owner, long millis) {
    to.computeIfAbsent(day, _ -> new HashMap<>()).merge(owner, millis, Long::sum);
  }

  private void complain() {
    if (failure == null) {
      log.warn(
          counted.equals(Instant.MIN)
              ? "Usage cannot be read, so nothing is counted of the budgets so far, and none of them keeps gangs from starting."
              : "Usage cannot be read. What is used of the budgets stays as counted at {}.",
          counted);
    }
  }

  private static LocalDate day(Instant at) {
    return LocalDate.ofInstant(at, ZoneOffset.UTC);
  }

  /// Returns whose budgets an account counts for, at most two.
  private List<BudgetOwner> of(UsageAccount account) {
    List<BudgetOwner> found = new ArrayList<>(2);
    for (BudgetOwner owner :
        List.of(BudgetOwner.queue(account.queue()), BudgetOwner.project(account.project()))) {
      if (owners.contains(owner)) {
        found.add(owner);
      }
    }
    return found;
  }

  /// Logs each budget once when it is spent.
  private void logSpent(List<BudgetStanding> counts) {
    Set<Budget> before =
        standings.stream()
            .filter(BudgetStanding::isSpent)
            .filter(old -> old.until().isAfter(counted))
            .map(BudgetStanding::budget)
            .collect(Collectors.toSet());
    for (BudgetStanding now : counts) {
      if (now.isSpent() && !before.contains(now.budget())) {
        log.warn(
            "The budget of the {} is spent: {} GPU-hours a {}. {} The next period begins at {}.",
            now.budget().owner(),
            now.budget().gpuHours(),
            now.budget().period().text().toLowerCase(Locale.ROOT),
            switch (now.budget().onExceeded()) {
              case TELL -> "Gangs start as before.";
              case HOLD -> "Further gangs do not start.";
            },
            now.until());
      }
    }
  }

  /// Tells which budgets keep gangs from starting, if they are not the same as before.
  private void hold(List<BudgetStanding> counts) {
    List<SpentBudget> spent = counts.stream().flatMap(each -> spent(each).stream()).toList();
    boolean same = spent.size() == holding.size();
    for (int i = 0; same && i < spent.size(); i++) {
      same = spent.get(i).isSame(holding.get(i));
    }
    if (!same) {
      holding = spent;
      told.accept(counted, holding);
    }
  }

  private static Optional<SpentBudget> spent(BudgetStanding standing) {
    Budget budget = standing.budget();
    return standing.isSpent() && budget.onExceeded() == Budget.OnExceeded.HOLD
        ? Optional.of(
            new SpentBudget(
                budget.owner(),
                standing.usedGpuMillis() / MILLIS_PER_HOUR,
                budget.gpuHours(),
                standing.until()))
        : Optional.empty();
  }
}
