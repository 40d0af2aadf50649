package dev.muster.server.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.kit.GangDraft;
import dev.muster.policy.config.Budget;
import dev.muster.policy.config.Budget.OnExceeded;
import dev.muster.policy.config.Budget.Period;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Neither a failed read nor a damaged file makes anything of less usage.
class UsageFailuresTest {
  private static final GangDraft TRAIN = GangDraft.gang("train").of(1, 8).queue("research");
  private static final Budget BUDGET =
      new Budget(BudgetOwner.queue("research"), 4, Period.MONTH, OnExceeded.HOLD);

  private static final ConfiguredNames NAMES = ConfiguredNames.of(Queues.NONE, List.of(BUDGET));

  @TempDir Path folder = Path.of("");
  private Path file = Path.of("");
  private final List<MVStore> opened = new ArrayList<>();
  private boolean broken;

  @BeforeEach
  void path() {
    file = folder.resolve("usage.mv");
  }

  private MVStore opened(Optional<Path> path) {
    if (broken) {
      throw DataUtils.newMVStoreException(DataUtils.ERROR_READING_FAILED, "Input/output error");
    }
    MVStore.Builder builder = new MVStore.Builder().autoCommitDisabled();
    path.ifPresent(found -> builder.fileName(found.toString()));
    opened.add(builder.open());
    return opened.getLast();
  }

  private UsageStore store() throws IOException {
    return UsageStore.open(Optional.of(file), 400, NAMES, this::opened);
  }

  private UsageBook book(long second) throws IOException {
    return UsageBook.open(store(), List.of(BUDGET), UsageScene.at(second));
  }

  /// The disk fails from now on.
  private void breaks() {
    opened.getLast().closeImmediately();
    broken = true;
  }

  /// A gang uses 8 GPU-hours in an earlier run.
  private void isUsed() throws IOException {
    try (UsageBook book = book(0)) {
      new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 3600).isWritten();
    }
  }

  private static void readAll(UsageBook book) throws UnreadableUsage {
    var _ = book.each(LocalDate.EPOCH, UsageScene.DAY.plusDays(30), (_, _) -> {});
  }

  /// Writes many rows, so that most pages are read only when they are visited.
  private void hasPages() throws IOException {
    Map<UsageKey, Long> rows = new HashMap<>();
    for (int i = 0; i < 4_000; i++) {
      rows.put(
          new UsageKey(
              UsageScene.DAY, new UsageAccount("q", "ns-" + i % 10, "user-" + i, "", "H100")),
          1L);
    }
    try (UsageStore store = store()) {
      assertThat(store.add(rows, UsageScene.at(0))).isTrue();
    }
  }

  /// Overwrites what is between the head of the file and its last pages.
  private void isDamaged() throws IOException {
    hasPages();
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(3 * 4096);
      bytes.write(new byte[8 * 4096]);
    }
  }

  @Test
  void failed_read_is_reported() throws IOException {
    isUsed();
    UsageBook book = book(7200);
    breaks();

    assertThatThrownBy(() -> readAll(book)).isInstanceOf(UnreadableUsage.class);
  }

  @Test
  void spent_budget_stays_spent_while_usage_cannot_be_read() throws IOException {
    isUsed();
    UsageBook book = book(7200);
    List<List<SpentBudget>> told = new ArrayList<>();
    book.follow((_, spent) -> told.add(spent));
    breaks();

    new UsageScene(book).passes(Duration.ofHours(3)).isWritten();

    assertThat(told).hasSize(1);
    assertThat(book.budgets()).extracting(BudgetStanding::isSpent).containsExactly(true);
  }

  @Test
  void budgets_of_a_failed_count_are_not_those_of_now() throws IOException {
    UsageBook book = book(0);
    breaks();

    new UsageScene(book).passes(Duration.ofHours(3)).isWritten();

    assertThatThrownBy(book::budgetsNow).isInstanceOf(UnreadableUsage.class);
  }

  @Test
  void older_days_count_when_the_first_read_has_failed() throws IOException {
    isUsed();
    broken = true;
    UsageBook book = book(3 * 86_400);
    assertThat(book.budgets()).isEmpty();
    broken = false;

    new UsageScene(book).passes(Duration.ofDays(3)).isWritten();

    assertThat(book.budgetsNow()).extracting(BudgetStanding::isSpent).containsExactly(true);
  }

  @Test
  void usage_of_a_broken_disk_is_written_later() throws IOException {
    UsageBook book = book(0);
    UsageScene scene = new UsageScene(book).binds(TRAIN, 0);
    breaks();
    scene.passes(Duration.ofHours(1)).isWritten();
    broken = false;

    scene.isWritten();

    assertThat(UsageScene.gpuSeconds(book, UsageScene.DAY)).isEqualTo(8 * 3600L);
  }

  @Test
  void file_that_is_damaged_when_read_is_put_aside() throws IOException {
    isDamaged();

    UsageBook book = book(0); // counts the budget

    assertThat(Files.exists(folder.resolve("usage.mv.damaged"))).isTrue();
    new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 1).isWritten();
    assertThat(UsageScene.gpuSeconds(book, UsageScene.DAY)).isEqualTo(8);
  }

  @Test
  void row_without_sense_is_damage() throws IOException {
    try (MVStore other = opened(Optional.of(file))) {
      other.<String, Long>openMap("gpuMillis").put("2026-11-31", 1L);
    }
    UsageBook book = book(0);

    assertThatThrownBy(() -> readAll(book)).isInstanceOf(UnreadableUsage.class);

    assertThat(Files.exists(folder.resolve("usage.mv.damaged"))).isTrue();
  }

  @Test
  void failure_of_one_read_alone_is_no_damage() throws IOException {
    isUsed();
    try (UsageStore store = store()) {
      store.failed(store.rows(UsageScene.DAY, UsageScene.DAY));

      assertThat(store.rows(UsageScene.DAY, UsageScene.DAY).stores()).isZero();
    }
  }

  @Test
  void short_text_of_others_is_put_aside() throws IOException {
    Files.writeString(file, "mine");

    store().close();

    assertThat(folder.resolve("usage.mv.damaged")).hasContent("mine");
  }

  @Test
  void store_of_others_is_put_aside() throws IOException {
    try (MVStore other = opened(Optional.of(file))) {
      other.<String, Long>openMap("theirs").put("a", 1L);
    }
    byte[] before = Files.readAllBytes(file);

    try (UsageBook book = book(0)) {
      new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 3600).isWritten();
    }

    assertThat(folder.resolve("usage.mv.damaged")).hasBinaryContent(before);
  }

  @Test
  void earlier_damaged_file_is_kept() throws IOException {
    Files.writeString(folder.resolve("usage.mv.damaged"), "earlier");
    Files.writeString(file, "x".repeat(20_000));

    store().close();

    assertThat(folder.resolve("usage.mv.damaged")).hasContent("earlier");
    assertThat(folder.resolve("usage.mv.damaged.1")).hasSize(20_000);
  }

  @Test
  void damaged_file_that_cannot_be_moved_is_left_alone() throws IOException {
    Files.writeString(file, "x".repeat(20_000));
    Files.createDirectory(folder.resolve("usage.mv.damaged"));
    for (int i = 1; i < 10; i++) {
      Files.createDirectory(folder.resolve("usage.mv.damaged." + i));
    }

    try (UsageBook book = book(0)) {
      new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 1).isWritten();

      assertThat(UsageScene.gpuSeconds(book, UsageScene.DAY)).isEqualTo(8);
      assertThat(book.isKept()).isFalse();
    }
    assertThat(file).hasSize(20_000);
  }

  @Test
  void budgets_keep_what_a_damaged_file_had() throws IOException {
    isUsed();
    UsageBook book = book(7200);
    opened.getLast().<String, Long>openMap("gpuMillis").put("2026-11-01 without sense", 1L);
    UsageScene scene = new UsageScene(book).passes(Duration.ofHours(2));

    scene.isWritten().isWritten();
    scene.binds(TRAIN, 7200).passes(Duration.ofHours(3)).isWritten();

    assertThat(book.budgetsNow())
        .extracting(BudgetStanding::usedGpuMillis)
        .containsExactly(Duration.ofHours(16).toMillis());
  }
}
