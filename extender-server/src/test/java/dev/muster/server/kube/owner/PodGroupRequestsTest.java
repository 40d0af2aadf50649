package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Requests for one PodGroup come after growing pauses, however often its owner changes.
class PodGroupRequestsTest {
  private static final GangId GANG = new GangId("ml", GangId.Origin.POD_GROUP, "sweep");
  private static final Instant START = Instant.parse("2026-11-01T12:00:00Z");

  private final PodGroupRequests requests = new PodGroupRequests();

  /// Returns the number of requests while the owner changes every second, and the PodGroup follows
  /// each request at once.
  private int requestsIn(int fromSecond, int toSecond) {
    int made = 0;
    for (int second = fromSecond; second < toSecond; second++) {
      Instant now = START.plusSeconds(second);
      requests.open(GANG, "o1");
      if (requests.due(now).contains(GANG)) {
        requests.requested(GANG, now);
        requests.close(GANG);
        made++;
      }
    }
    return made;
  }

  @Test
  void first_request_is_due_at_once() {
    assertThat(requestsIn(0, 1)).isEqualTo(1);
  }

  @Test
  void owner_that_changes_every_second_causes_few_requests() {
    assertThat(requestsIn(0, 60)).isEqualTo(5);
    assertThat(requestsIn(60, 660)).isEqualTo(10);
  }

  /// A correction is requested soon, although the pause is a minute.
  @Test
  void change_of_the_owner_is_requested_after_two_seconds() {
    requestsIn(0, 560); // the last one at 542
    Instant now = START.plusSeconds(560);
    requests.open(GANG, "o1");
    requests.hasten(Set.of(GANG), now);

    assertThat(requests.isDue(GANG, now)).isFalse();
    assertThat(requests.isDue(GANG, now.plusSeconds(2))).isTrue();
  }

  @Test
  void owner_that_is_edited_every_second_causes_one_more_request_a_minute() {
    int made = 0;
    for (int second = 0; second < 660; second++) {
      made += requestsIn(second, second + 1);
      requests.hasten(Set.of(GANG), START.plusSeconds(second));
    }

    assertThat(made).isEqualTo(15 + 10);
  }

  @Test
  void owner_that_was_created_again_does_not_wait_for_the_deleted_one() {
    requestsIn(0, 600);
    requests.open(GANG, "o2");

    assertThat(requests.isDue(GANG, START.plusSeconds(600))).isTrue();
  }

  @Test
  void last_change_is_requested_in_the_end() {
    requestsIn(0, 600);
    requests.open(GANG, "o1");

    assertThat(requests.isDue(GANG, START.plusSeconds(660))).isTrue();
  }

  @Test
  void change_after_a_quiet_time_is_requested_at_once_again() {
    requestsIn(0, 600);
    requests.close(GANG);
    assertThat(requests.due(START.plusSeconds(720))).isEmpty();

    assertThat(requestsIn(720, 723)).isEqualTo(2);
  }
}
