package dev.muster.simulator.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.policy.journal.JournalEntry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// One event of a journal carries several facts about a gang.
final class SeveralFactsTest {
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  private static final GangId GANG = new GangId("ml", GangId.Origin.POD, "g");
  private static final MemberId POD = new MemberId("ml", "g", "g");
  private static final MemberState HELD = new MemberState.Held(false);
  private static final MemberState BOUND =
      new MemberState.Bound(new NodeId("n1"), START.plusSeconds(3));

  private static Event changed(Instant at, Event.GangFact... facts) {
    return new Event.GangChanged(at, GANG, List.of(facts));
  }

  private static Event.GangFact declared() {
    return new Event.GangSeen(START, GangSpec.of(GANG, 1, "prod", START));
  }

  private static Event.GangFact pod(Instant at, MemberState state) {
    Request request = new Request(Resources.of("gpu", 1), 1, 0, NodeSelection.ANY, false);
    return new Event.MemberSeen(
        at, new Member(POD, GANG, 0, 0, request, GangConstraints.NONE, state, START));
  }

  @Test
  void make_the_same_job_as_separate_facts() {
    JobHistory history = new JobHistory();
    history.note(changed(START, declared(), pod(START, HELD)));
    history.note(pod(START.plusSeconds(3), BOUND));
    Instant end = START.plusSeconds(63);
    history.note(changed(end, new Event.MemberGone(end, GANG, POD), new Event.GangGone(end, GANG)));
    assertThat(LiveJobs.of(history).jobs())
        .singleElement()
        .satisfies(job -> {
          assertThat(job.job().queue()).isEqualTo("prod");
          assertThat(job.job().runMillis()).isEqualTo(60_000);
        });
  }

  @Test
  void state_when_pods_are_bound() throws IOException {
    JsonNode admitted =
        new JsonMapper()
            .readTree(
                """
                [{"type": "Admit", "gang": {"namespace": "ml", "origin": "POD", "name": "g"},
                  "placement": {"assignments": [{}]}}]
                """);
    BindTimes times = new BindTimes();
    times.note(new JournalEntry.Turn(changed(START, declared(), pod(START, HELD)), admitted));
    assertThat(times.median()).isEmpty();
    Instant bound = START.plusSeconds(3);
    times.note(new JournalEntry.Turn(changed(bound, declared(), pod(bound, BOUND)), noDecisions()));
    assertThat(times.median()).contains(Duration.ofSeconds(3));
  }

  private static JsonNode noDecisions() {
    return new JsonMapper().createArrayNode();
  }

  @Test
  void are_hashed_like_each_of_them() {
    Pseudonymizer hash = Pseudonymizer.random();
    Event.GangFact seen = declared();
    Event.GangFact gone = new Event.MemberGone(START, GANG, POD);
    assertThat(hash.of(changed(START, seen, gone)).map(Event.OfGang.class::cast))
        .hasValueSatisfying(hashed ->
            assertThat(hashed.facts())
                .extracting(Event.class::cast)
                .containsExactly(hash.of(seen).orElseThrow(), hash.of(gone).orElseThrow()));
  }
}
