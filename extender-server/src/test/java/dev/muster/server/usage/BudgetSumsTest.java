package dev.muster.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.state.Policies;
import dev.muster.policy.config.Budget;
import dev.muster.policy.config.Budget.OnExceeded;
import dev.muster.policy.config.Budget.Period;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
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

/// What is used of a budget is the usage of its queue or project since its period began.
class BudgetSumsTest {
  private static final BudgetOwner RESEARCH = BudgetOwner.queue("research");
  private static final GangDraft TRAIN = GangDraft.gang("train").of(1, 8).queue("research");
  private static final Instant MONTHS_END = Instant.parse("2026-12-01T00:00:00Z");

  @TempDir Path folder = Path.of("");

  private static Budget hours(BudgetOwner owner, int gpuHours, Period period) {
    return new Budget(owner, gpuHours, period, OnExceeded.HOLD);
  }

  private static UsageBook book(Budget... budgets) throws IOException {
    return UsageBook.open(Optional.empty(), 400, Queues.NONE, List.of(budgets), UsageScene.at(0));
  }

  private static BudgetStanding only(UsageBook book) {
    assertThat(book.budgets()).hasSize(1);
    return book.budgets().getFirst();
  }

  @Test
  void new_book_has_used_nothing() throws IOException {
    assertThat(only(book(hours(RESEARCH, 10, Period.MONTH))).usedGpuMillis()).isZero();
  }

  @Test
  void running_pods_count() throws IOException {
    UsageBook book = book(hours(RESEARCH, 40, Period.MONTH));

    new UsageScene(book).binds(TRAIN, 0).passes(Duration.ofHours(1)).isWritten();

    assertThat(only(book).usedGpuMillis()).isEqualTo(Duration.ofHours(8).toMillis());
    assertThat(only(book).gpus()).isEqualTo(8);
    assertThat(only(book).endsAt()).contains(UsageScene.at(5 * 3600));
  }

  @Test
  void pods_of_a_namespace_that_the_queue_refuses_do_not_count() throws IOException {
    UsageBook book = book(hours(RESEARCH, 40, Period.MONTH));
    Queues queues = Queues.of(List.of(Queue.of("research").taking(List.of("nlp"))));
    Policies policies = Policies.of(queues, Duration.ofMinutes(2), Optional.empty());

    new UsageScene(book, policies).binds(TRAIN, 0).passes(Duration.ofHours(1)).isWritten();

    assertThat(only(book).usedGpuMillis()).isZero();
    assertThat(only(book).gpus()).isZero();
  }

  @Test
  void budget_that_lasts_for_its_period_does_not_end() throws IOException {
    UsageBook book = book(hours(RESEARCH, 30 * 24 * 8, Period.MONTH));

    new UsageScene(book).binds(TRAIN, 0).passes(Duration.ofHours(1)).isWritten();

    assertThat(only(book).until()).isEqualTo(MONTHS_END);
    assertThat(only(book).endsAt()).isEmpty();
  }

  @Test
  void project_counts_over_all_queues() throws IOException {
    UsageBook book = book(hours(BudgetOwner.project("llm"), 10, Period.MONTH));
    Map<String, String> llm = Map.of("muster.dev/project", "llm");

    new UsageScene(book)
        .binds(TRAIN, llm, 0)
        .binds(GangDraft.gang("other").of(1, 4).queue("guests"), llm, 0)
        .binds(GangDraft.gang("none").of(1, 2), 0)
        .passes(Duration.ofHours(1))
        .isWritten();

    assertThat(only(book).usedGpuMillis()).isEqualTo(Duration.ofHours(12).toMillis());
  }

  @Test
  void next_period_begins_at_zero() throws IOException {
    UsageBook book = book(hours(RESEARCH, 10, Period.DAY));
    UsageScene scene =
        new UsageScene(book).binds(TRAIN, 0).passes(Duration.ofHours(24)).isWritten();
    assertThat(only(book).usedGpuMillis()).isZero();

    scene.passes(Duration.ofHours(25)).isWritten();

    assertThat(only(book).usedGpuMillis()).isEqualTo(Duration.ofHours(8).toMillis());
  }

  @Test
  void usage_before_a_restart_counts_at_once() throws IOException {
    Optional<Path> file = Optional.of(folder.resolve("usage.mv"));
    List<Budget> budgets = List.of(hours(RESEARCH, 8, Period.MONTH));
    try (UsageBook book = UsageBook.open(file, 400, Queues.NONE, budgets, UsageScene.at(0))) {
      new UsageScene(book).binds(TRAIN, 0).ends(TRAIN, 3600).isWritten();
    }

    try (UsageBook book = UsageBook.open(file, 400, Queues.NONE, budgets, UsageScene.at(7200))) {
      assertThat(only(book).isSpent()).isTrue();
    }
  }

  /// A life of a pod, in hours.
  record Life(int gpus, int start, int length, boolean inQueue, boolean inProject) {}

  @Provide
  Arbitrary<List<Life>> lives() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 8),
            Arbitraries.integers().between(0, 24 * 100),
            Arbitraries.integers().between(0, 24 * 40),
            Arbitraries.of(true, false),
            Arbitraries.of(true, false))
        .as(Life::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(8);
  }

  /// Each sum equals that of the days of the period, whatever was counted in between.
  @Property(tries = 50)
  void sums_are_those_of_the_usage(
      @ForAll("lives") List<Life> lives, @ForAll boolean oftenCounted, @ForAll Period period)
      throws IOException {
    BudgetOwner project = BudgetOwner.project("llm");
    UsageBook book = book(hours(RESEARCH, 1, period), hours(project, 1, period));
    UsageScene scene = new UsageScene(book);
    record Act(long hour, Runnable act) {}
    List<Act> acts = new ArrayList<>();
    for (int i = 0; i < lives.size(); i++) {
      Life life = lives.get(i);
      GangDraft gang =
          GangDraft.gang("g" + i).of(1, life.gpus()).queue(life.inQueue() ? "research" : "rest");
      Map<String, String> labels =
          life.inProject() ? Map.of("muster.dev/project", "llm") : Map.of();
      long end = (long) life.start() + life.length();
      acts.add(new Act(life.start(), () -> scene.binds(gang, labels, life.start() * 3600L)));
      acts.add(new Act(end, () -> scene.ends(gang, end * 3600L)));
    }
    acts.sort(Comparator.comparingLong(Act::hour));
    for (Act act : acts) {
      act.act().run();
      if (oftenCounted) {
        scene.isWritten();
      }
    }
    scene.isWritten();

    LocalDate today = UsageScene.DAY.plusDays(acts.getLast().hour() / 24);
    long[] expected = new long[2];
    UsageScene.each(
        book,
        period.first(today),
        today,
        (key, millis) -> {
          expected[0] += key.account().queue().equals("research") ? millis : 0;
          expected[1] += key.account().project().equals("llm") ? millis : 0;
        });
    assertThat(book.budgets())
        .extracting(BudgetStanding::usedGpuMillis)
        .containsExactly(expected[0], expected[1]);
  }
}
