package dev.muster.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.policy.config.Budget;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// Names that tenants choose make a limited number of accounts on a day, and lose no time.
class DayAccountsTest {
  private static final ConfiguredNames NAMES =
      ConfiguredNames.of(
          Queues.of(List.of(Queue.of("research"))),
          List.of(
              new Budget(
                  BudgetOwner.project("llm"), 1, Budget.Period.MONTH, Budget.OnExceeded.TELL)));

  @AutoClose private final UsageStore store = UsageStore.open(Optional.empty(), 400, NAMES);

  DayAccountsTest() throws IOException {}

  private static UsageAccount account(String queue, String namespace, String user, String project) {
    return new UsageAccount(queue, namespace, user, project, "H100");
  }

  /// Adds a millisecond to each of many accounts, one after another.
  private void uses(int number, IntFunction<UsageAccount> account) {
    for (int i = 0; i < number; i++) {
      adds(account.apply(i));
    }
  }

  private void adds(UsageAccount account) {
    assertThat(store.add(Map.of(new UsageKey(UsageScene.DAY, account), 1L), UsageScene.at(0)))
        .isTrue();
  }

  private Map<UsageAccount, Long> rows() throws UnreadableUsage {
    Map<UsageAccount, Long> rows = new HashMap<>();
    store
        .rows(UsageScene.DAY, UsageScene.DAY)
        .each((key, millis) -> rows.put(key.account(), millis));
    return rows;
  }

  @Test
  void queues_of_one_namespace_make_few_accounts() throws Exception {
    uses(3_000, i -> account("q" + i, "ns", "", ""));

    assertThat(rows()).hasSize(601).containsEntry(account("", "ns", "", ""), 2_400L);
  }

  @Test
  void users_beyond_the_limit_of_a_namespace_are_one_for_each_project() throws Exception {
    uses(600, i -> account("q", "ns", "u" + i, i % 2 == 0 ? "a" : "b"));

    assertThat(rows())
        .hasSize(502)
        .containsEntry(account("q", "ns", "", "a"), 50L)
        .containsEntry(account("q", "ns", "", "b"), 50L);
  }

  @Test
  void names_of_the_configuration_outlast_all_limits() throws Exception {
    uses(1_000, i -> account("q" + i, "ns", "u" + i, "p" + i));

    adds(account("research", "ns", "ann", "llm"));

    assertThat(rows()).containsEntry(account("research", "ns", "", "llm"), 1L);
  }

  @Test
  void account_that_exists_keeps_its_names() throws Exception {
    adds(account("q", "ns", "ann", "x"));
    uses(1_000, i -> account("q" + i, "ns", "u" + i, "p" + i));

    adds(account("q", "ns", "ann", "x"));

    assertThat(rows()).containsEntry(account("q", "ns", "ann", "x"), 2L);
  }

  @Test
  void namespace_beyond_its_limit_takes_no_names_from_others() throws Exception {
    uses(7_000, i -> account("q" + i, "ns", "u" + i, "p" + i));

    adds(account("q", "other", "ann", "x"));

    assertThat(rows()).containsEntry(account("q", "other", "ann", "x"), 1L);
  }

  @Test
  void accounts_of_all_namespaces_are_limited() throws Exception {
    uses(11_000, i -> account("q", "ns" + i, "u" + i, "x"));

    assertThat(rows()).hasSize(10_001).containsEntry(account("", "", "", ""), 1_000L);
  }

  @Test
  void accounts_that_were_written_before_count() {
    List<String> keys =
        IntStream.range(0, 500)
            .mapToObj(i -> new UsageKey(UsageScene.DAY, account("q", "ns", "u" + i, "")).text())
            .sorted()
            .toList();
    DayAccounts day = DayAccounts.of(NAMES, UsageScene.DAY, keys.iterator());

    assertThat(day.charged(account("q", "ns", "ann", ""), _ -> false))
        .isEqualTo(account("q", "ns", "", ""));
  }

  @Test
  void accounts_of_the_next_day_do_not_count() {
    String next = new UsageKey(UsageScene.DAY.plusDays(1), account("q", "ns", "", "")).text();
    DayAccounts day =
        DayAccounts.of(NAMES, UsageScene.DAY, Collections.nCopies(500, next).iterator());

    assertThat(day.charged(account("q", "ns", "ann", ""), _ -> false))
        .isEqualTo(account("q", "ns", "ann", ""));
  }

  @Test
  void time_that_waits_for_the_disk_has_as_few_accounts() {
    UsageCharges charges = new UsageCharges(NAMES);
    for (int i = 0; i < 3_000; i++) {
      charges.add(new UsageKey(UsageScene.DAY, account("q" + i, "ns", "u" + i, "")), 1L);
    }

    assertThat(charges.sums()).hasSize(601);
    assertThat(charges.sums().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(3_000);
  }
}
