package dev.muster.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import dev.muster.server.http.access.PageView;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The log compares images and forgets the oldest changes.
class ChangeLogTest {
  private State image = State.empty(new Topology(List.of()));
  private final ChangeLog log = new ChangeLog(image);

  private void see(int from, int to) {
    for (int i = from; i < to; i++) {
      GangId gang = new GangId("ml", GangId.Origin.POD_GROUP, "g" + i);
      Event event =
          new Event.GangSeen(StreamServer.NOW, GangSpec.of(gang, 1, "research", StreamServer.NOW));
      image = image.with(image.cluster().apply(event));
    }
    log.note(image);
  }

  @Test
  void change_that_is_too_long_to_be_named_is_told_as_a_whole() {
    see(0, Change.MOST + 1);

    assertThat(log.since(0).orElseThrow().seenBy(PageView.WHOLE))
        .isEqualTo("{\"version\":%d,\"all\":true}".formatted(Change.MOST + 1));
  }

  @Test
  void tick_alone_changes_nothing() {
    image = image.with(image.cluster().apply(new Event.Tick(StreamServer.NOW)));
    log.note(image);

    assertThat(log.since(0).orElseThrow().isEmpty()).isTrue();
  }

  @Test
  void changes_of_long_ago_are_forgotten() {
    for (int i = 0; i <= ChangeLog.KEPT; i++) {
      see(i, i + 1);
    }

    assertThat(log.since(0)).isEmpty();
    assertThat(log.since(1)).isPresent();
  }

  @Test
  void version_that_was_never_noted_is_not_known() {
    see(0, 2);

    assertThat(log.since(1)).isEmpty();
  }
}
