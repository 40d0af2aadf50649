package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.kit.Scene;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which answers are in doubt.
class WaitingTest {
  @Test
  void of_a_class_that_nobody_waits_in_any_more_nothing_is_in_doubt() {
    Waiting waiting =
        Scene.of("b/r: n1[####]")
            .arrives(gang("a").of(1, 1))
            .arrives(gang("b").of(1, 2))
            .state()
            .waiting();
    List<WaitClass.Key> both = List.copyOf(waiting.classes().keys());
    WaitClass.Key first = waiting.seats().get(gang("a").id()).orElseThrow().key();
    Waiting left = waiting.without(gang("a").id());
    assertThat(left.doubting(both).doubtful().keys()).hasSize(1).doesNotContain(first);
  }
}
