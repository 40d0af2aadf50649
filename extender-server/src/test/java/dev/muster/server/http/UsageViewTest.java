package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.http.access.PageView;
import dev.muster.server.http.page.MalformedQuery;
import dev.muster.server.http.page.PageParameters;
import dev.muster.server.http.page.PageQuery;
import dev.muster.server.http.page.UsageView;
import dev.muster.server.usage.UnreadableUsage;
import dev.muster.server.usage.UsageAccount;
import dev.muster.server.usage.UsageKey;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.Test;

/// Usage is added up by several words in one reading.
class UsageViewTest {
  private static final LocalDate DAY = LocalDate.parse("2026-11-21");

  private int readings;

  private int each(LocalDate since, LocalDate until, ObjLongConsumer<UsageKey> visitor) {
    readings++;
    visitor.accept(new UsageKey(since, new UsageAccount("q", "ml", "ann", "llm", "H100")), 1);
    visitor.accept(new UsageKey(until, new UsageAccount("q", "ml", "bob", "llm", "H100")), 2);
    return 0;
  }

  private List<Map<String, Long>> sums(PageQuery query, String... words)
      throws MalformedQuery, UnreadableUsage {
    List<UsageView> views = new ArrayList<>();
    for (String word : words) {
      views.add(UsageView.of(query.with(PageParameters.BY, word)));
    }
    return UsageView.read(views, this::each, DAY, PageView.WHOLE).stream()
        .map(UsageView.Sums::items)
        .toList();
  }

  @Test
  void words_share_one_reading() throws Exception {
    assertThat(sums(PageQuery.NONE, "queue", "user", "day"))
        .containsExactly(
            Map.of("q", 3L),
            Map.of("ann", 1L, "bob", 2L),
            Map.of("2026-10-23", 1L, "2026-11-21", 2L));
    assertThat(readings).isEqualTo(1);
  }

  @Test
  void filters_hold_for_all_words() throws Exception {
    assertThat(sums(PageQuery.NONE.with("user", "bob"), "queue", "user"))
        .containsExactly(Map.of("q", 2L), Map.of("bob", 2L));
  }
}
