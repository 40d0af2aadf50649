package dev.muster.server.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.kit.GangDraft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// GPU time counts from the binding of a pod until it has ended or is gone, once.
class UsageBookTest {
  private static final GangDraft TRAIN = GangDraft.gang("train").of(1, 8);

  @TempDir Path folder = Path.of("");

  private static UsageBook book() {
    return UsageBook.inMemory();
  }

  private UsageBook kept() throws IOException {
    return UsageBook.open(Optional.of(folder.resolve("usage.mv")), 400);
  }

  private static long total(UsageBook book) {
    return UsageScene.gpuSeconds(book, UsageScene.DAY);
  }

  @Test
  void pod_counts_until_it_has_ended() {
    UsageBook book = book();

    new UsageScene(book).binds(TRAIN, 10).ends(TRAIN, 70).passes(Duration.ofHours(1)).isWritten();

    assertThat(total(book)).isEqualTo(8 * 60);
  }

  @Test
  void pod_that_is_being_deleted_counts_until_it_is_gone() {
    UsageBook book = book();

    new UsageScene(book).binds(TRAIN, 0).leaves(TRAIN, 10).isGone(TRAIN, 30).isWritten();

    assertThat(total(book)).isEqualTo(8 * 30);
  }

  @Test
  void running_pod_counts_up_to_the_newest_image() {
    UsageBook book = book();
    UsageScene scene =
        new UsageScene(book).binds(TRAIN, 0).passes(Duration.ofSeconds(20)).isWritten();

    scene.passes(Duration.ofSeconds(50)).isWritten();

    assertThat(total(book)).isEqualTo(8 * 50);
  }

  @Test
  void each_day_has_its_part() {
    UsageBook book = book();

    new UsageScene(book).binds(TRAIN, 23 * 3600).passes(Duration.ofHours(49)).isWritten();

    assertThat(List.of(0, 1, 2))
        .extracting(day -> UsageScene.gpuSeconds(book, UsageScene.DAY.plusDays(day)))
        .containsExactly(8 * 3600L, 8 * 24 * 3600L, 8 * 3600L);
  }

  @Test
  void time_of_binding_before_the_creation_of_the_pod_does_not_count() {
    UsageBook book = book();

    new UsageScene(book).bindsLongBefore(TRAIN).ends(TRAIN, 10).isWritten();

    long[] sum = new long[1];
    UsageScene.each(
        book, LocalDate.EPOCH, UsageScene.DAY.plusDays(1), (_, millis) -> sum[0] += millis / 1000);
    assertThat(sum[0]).isEqualTo(80);
  }

  @Test
  void account_is_that_of_the_labels_and_the_node() {
    UsageBook book = book();

    new UsageScene(book)
        .binds(
            TRAIN.queue("research"),
            Map.of("muster.dev/user", "ann", "muster.dev/project", "llm"),
            0)
        .ends(TRAIN, 10)
        .isWritten();

    assertThat(UsageScene.accounts(book))
        .isEqualTo(
            Map.of(
                new UsageAccount("research", TRAIN.id().namespace(), "ann", "llm", "H100"), 80L));
  }

  @Test
  void time_after_a_new_label_is_accounted_to_it() {
    UsageBook book = book();

    new UsageScene(book)
        .binds(TRAIN, Map.of("muster.dev/project", "a"), 0)
        .isLabelled(TRAIN, Map.of("muster.dev/project", "b"), 10)
        .ends(TRAIN, 30)
        .isWritten();

    Map<String, Long> projects = new HashMap<>();
    UsageScene.accounts(book).forEach((account, sum) -> projects.put(account.project(), sum));
    assertThat(projects).isEqualTo(Map.of("a", 80L, "b", 160L));
  }

  @Test
  void restart_neither_loses_nor_repeats_a_running_pod() throws IOException {
    try (UsageBook book = kept()) {
      new UsageScene(book).binds(TRAIN, 0).passes(Duration.ofSeconds(30));
    }

    try (UsageBook book = kept()) {
      new UsageScene(book).binds(TRAIN, 0).passes(Duration.ofSeconds(100)).isWritten();

      assertThat(total(book)).isEqualTo(8 * 100);
    }
  }

  @Test
  void second_process_is_refused() throws IOException {
    try (UsageBook _ = kept()) {
      assertThatThrownBy(this::kept)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("usage.mv: another process writes this usage store.");
    }
  }

  @Test
  void file_that_is_no_store_is_put_aside() throws IOException {
    Path file = folder.resolve("usage.mv");
    Files.writeString(file, "x".repeat(20_000));

    try (UsageBook book = kept()) {
      new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 1).isWritten();

      assertThat(total(book)).isEqualTo(8);
    }
    assertThat(folder.resolve("usage.mv.damaged")).hasSize(20_000);
  }

  @Test
  void file_that_was_cut_short_does_not_stop_the_start() throws IOException {
    Path file = folder.resolve("usage.mv");
    try (UsageBook book = kept()) {
      new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 1).isWritten();
    }
    byte[] whole = Files.readAllBytes(file);
    for (int length : List.of(0, 1, 100, 4_096, whole.length - 1)) {
      Files.write(file, Arrays.copyOf(whole, length));
      try (UsageBook book = kept()) {
        new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 1).isWritten();

        assertThat(total(book)).isGreaterThanOrEqualTo(8);
      }
    }
  }

  @Test
  void missing_folder_is_named() {
    Path file = folder.resolve("missing").resolve("usage.mv");

    assertThatThrownBy(() -> UsageBook.open(Optional.of(file), 400))
        .isInstanceOf(IOException.class)
        .hasMessage(file + ": its folder does not exist.");
  }

  @Test
  void old_days_are_forgotten() throws IOException {
    UsageBook book = UsageBook.open(Optional.empty(), 2);

    new UsageScene(book)
        .binds(TRAIN, 0)
        .passes(Duration.ofDays(1))
        .isWritten()
        .passes(Duration.ofDays(5))
        .isWritten();

    assertThat(total(book)).isZero();
    assertThat(UsageScene.gpuSeconds(book, UsageScene.DAY.plusDays(4))).isEqualTo(8 * 86_400L);
  }

  @Test
  void rows_up_to_the_last_day_of_all_are_visited() {
    UsageBook book = book();
    new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 1).isWritten();

    long[] sum = new long[1];
    UsageScene.each(
        book, UsageScene.DAY, LocalDate.of(9999, 12, 31), (_, millis) -> sum[0] += millis);

    assertThat(sum[0]).isEqualTo(8_000);
  }

  @Test
  void keys_are_read_as_written() {
    UsageKey.Reader reader = new UsageKey.Reader();
    UsageKey one = new UsageKey(UsageScene.DAY, new UsageAccount("q", "ns", "", "", ""));
    UsageKey next =
        new UsageKey(UsageScene.DAY.plusDays(1), new UsageAccount("q", "ns", "u", "p", "H100"));

    assertThat(List.of(one, next, one))
        .allSatisfy(key -> assertThat(reader.parse(key.text())).isEqualTo(key));
  }

  @Test
  void keys_of_one_day_share_it() {
    UsageKey.Reader reader = new UsageKey.Reader();
    UsageKey one = new UsageKey(UsageScene.DAY, new UsageAccount("q", "ns", "u", "p", "H100"));

    assertThat(reader.parse(one.text()).day()).isSameAs(reader.parse(one.text()).day());
  }

  /// A life of a pod, in seconds.
  record Life(int gpus, int start, int length, boolean leaves) {}

  @Provide
  Arbitrary<List<Life>> lives() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 8),
            Arbitraries.integers().between(0, 200_000),
            Arbitraries.integers().between(0, 100_000),
            Arbitraries.of(true, false))
        .as(Life::new)
        .list()
        .ofMaxSize(8);
  }

  /// The sum equals the lengths of all lives, as the events of the pods give them.
  @Property(tries = 100)
  void sum_is_that_of_the_pods_events(@ForAll("lives") List<Life> lives, @ForAll boolean restarts)
      throws IOException {
    UsageBook book = book();
    UsageScene scene = new UsageScene(book);
    Map<LocalDate, Long> expected = new HashMap<>();
    record Act(long at, Runnable act) {}
    List<Act> acts = new ArrayList<>();
    for (int i = 0; i < lives.size(); i++) {
      Life life = lives.get(i);
      GangDraft gang = GangDraft.gang("g" + i).of(1, life.gpus());
      long end = (long) life.start() + life.length();
      acts.add(new Act(life.start(), () -> scene.binds(gang, life.start())));
      if (life.leaves()) {
        acts.add(new Act(end, () -> scene.isGone(gang, end)));
      } else {
        acts.add(new Act(end, () -> scene.ends(gang, end)));
      }
      for (long second = life.start(); second < end; ) {
        long next = Math.min(end, (second / 86_400 + 1) * 86_400);
        expected.merge(
            UsageScene.DAY.plusDays(second / 86_400), (next - second) * life.gpus(), Long::sum);
        second = next;
      }
    }
    acts.sort(Comparator.comparingLong(Act::at));
    for (Act act : acts) {
      act.act().run();
      if (restarts) {
        scene.isWritten();
      }
    }
    scene.isWritten();

    for (int day = 0; day < 5; day++) {
      LocalDate date = UsageScene.DAY.plusDays(day);
      assertThat(UsageScene.gpuSeconds(book, date)).isEqualTo(expected.getOrDefault(date, 0L));
    }
  }
}
