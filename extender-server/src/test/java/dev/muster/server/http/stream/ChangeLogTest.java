package dev.muster.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import dev.muster.server.http.access.PageView;
import java.lang.management.ManagementFactory;
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
  void changes_since_a_version_are_those_after_it() {
    see(0, 2);
    see(2, 4);
    see(4, 5);

    assertThat(log.since(2).orElseThrow().gangs())
        .extracting(GangId::name)
        .containsExactly("g2", "g3", "g4");
  }

  @Test
  void changes_that_are_many_together_are_told_as_a_whole() {
    see(0, Change.MOST);
    see(Change.MOST, Change.MOST + 1);

    assertThat(log.since(0).orElseThrow().whole()).isTrue();
    assertThat(log.since(Change.MOST).orElseThrow().gangs()).hasSize(1);
  }

  @Test
  void change_that_names_nothing_is_told_to_those_who_missed_it() {
    see(0, Change.MOST + 1);
    see(Change.MOST + 1, Change.MOST + 2);

    assertThat(log.since(0).orElseThrow().whole()).isTrue();
    assertThat(log.since(Change.MOST + 1).orElseThrow().whole()).isFalse();
  }

  @Test
  void changes_since_an_old_version_are_not_added_up_one_by_one() {
    for (int i = 0; i < ChangeLog.KEPT; i++) {
      see(i, i + 1);
    }
    log.since(0);

    assertThat(allocated(() -> log.since(0))).isLessThan(1_000L * ChangeLog.KEPT);
  }

  private static long allocated(Runnable work) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void version_that_was_never_noted_is_not_known() {
    see(0, 2);

    assertThat(log.since(1)).isEmpty();
  }
}
