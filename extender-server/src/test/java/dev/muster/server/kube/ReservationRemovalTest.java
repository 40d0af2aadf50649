package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.act.ReservationWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// The record of a reservation is removed when its gang has started.
class ReservationRemovalTest extends OutboxScene {
  @Test
  void minimum_with_which_the_gang_runs_goes_along_with_the_removal_of_the_record()
      throws InterruptedException {
    perform(seen(), new Effect.ClearReservation(GANG, Optional.of(2)));

    assertThat(server.calls)
        .singleElement()
        .satisfies(call ->
            assertThat(call.body())
                .isEqualTo(
                    "{\"metadata\":{\"uid\":\"g1\",\"annotations\":{\"muster.dev/reservation\":null,\"muster.dev/ran-with\":\"2\"}}}"));
  }

  @Test
  void minimum_with_which_the_gang_runs_stays_while_it_grows() throws InterruptedException {
    perform(seen(), new Effect.WriteReservation(GANG, write(GANG).reservation().ofRunning()));

    assertThat(server.calls)
        .singleElement()
        .satisfies(call -> assertThat(call.body()).doesNotContain("ran-with"));
  }

  /// Returns what is logged when the removals get these answers.
  private List<String> logged(ScriptedApi.Reply... replies) throws InterruptedException {
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(ReservationWriter.class);
    told.start();
    logger.addAppender(told);
    try {
      for (ScriptedApi.Reply reply : replies) {
        server.answers(_ -> reply);
        perform(seen(), new Effect.ClearReservation(GANG, Optional.empty()));
      }
    } finally {
      logger.detachAppender(told);
    }
    return told.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /// A tenant can cause it again and again, with other names.
  @Test
  void failed_removal_is_logged_once_for_all_gangs() throws InterruptedException {
    assertThat(
            logged(
                ScriptedApi.Reply.refused(403, "a is protected"),
                ScriptedApi.Reply.refused(403, "b is protected")))
        .containsExactly("The reservation record on ml/train was not cleared: 403 a is protected");
  }

  @Test
  void removal_from_a_replaced_object_is_no_failure() throws InterruptedException {
    assertThat(logged(ScriptedApi.Reply.replaced())).isEmpty();
  }

  @Test
  void clearing_a_reservation_first_removes_unused_nominations() throws InterruptedException {
    Member held = member(POD, GANG, new MemberState.Held(false));
    Member bound =
        member(new MemberId("ml", "train-1", "u1"), GANG, new MemberState.Bound(NODE, NOW));

    perform(seen(held, bound), new Effect.ClearReservation(GANG, Optional.empty()));

    assertThat(server.calls)
        .extracting(ScriptedApi.Call::path)
        .containsExactly(
            "/api/v1/namespaces/ml/pods/train-0/status",
            "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ml/podgroups/train");
    assertThat(server.calls.getFirst().body())
        .isEqualTo("{\"metadata\":{\"uid\":\"u0\"},\"status\":{\"nominatedNodeName\":null}}");
  }
}
