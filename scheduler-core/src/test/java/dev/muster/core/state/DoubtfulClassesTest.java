package dev.muster.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Explanation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Resources;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The order in which ticks ask doubtful classes.
class DoubtfulClassesTest {
  private SortedTable<WaitClass.Key, WaitClass> doubtful = SortedTable.empty();

  private WaitClass.Key isInDoubt(String namespace, String name, int answeredAt) {
    WaitClass.Key key = new WaitClass.Key("q", 0, name);
    GangId gang = new GangId(namespace, GangId.Origin.POD_GROUP, name);
    WaitClass.Need need = new WaitClass.Need(1, 0, 0, GpuModelPreference.ANY, 0, Resources.NONE);
    Explanation why =
        new Explanation(
            0, Instant.ofEpochSecond(answeredAt), 0, Optional.empty(), SortedTable.empty());
    WaitClass waits =
        new WaitClass(key, List.of(), need, false, SortedTable.empty(), why)
            .with(new WaitClass.Age(Instant.EPOCH, gang));
    doubtful = doubtful.with(key, waits);
    return key;
  }

  private List<WaitClass.Key> asked(int atMost) {
    return new WaitingGangs(
            SortedTable.empty(), SortedTable.empty(), doubtful, doubtful, SortedTable.empty())
        .longestInDoubt(atMost);
  }

  @Test
  void oldest_answers_come_first() {
    WaitClass.Key late = isInDoubt("a", "late", 2);
    WaitClass.Key early = isInDoubt("a", "z-early", 1);
    assertThat(asked(2)).containsExactly(early, late);
  }

  @Test
  void namespaces_take_turns() {
    WaitClass.Key first = isInDoubt("many", "first", 1);
    WaitClass.Key second = isInDoubt("many", "second", 2);
    WaitClass.Key other = isInDoubt("other", "last", 9);
    assertThat(asked(3)).containsExactly(first, other, second);
  }

  @Test
  void no_more_are_asked_than_the_limit() {
    isInDoubt("a", "one", 1);
    isInDoubt("b", "two", 2);
    assertThat(asked(1)).hasSize(1);
  }
}
