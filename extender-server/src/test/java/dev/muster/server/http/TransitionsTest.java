package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.engine.Engine;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.page.GangTransitions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The history keeps the last transitions of each gang.
class TransitionsTest {
  private static final GangId LATE = new GangId("ml", GangId.Origin.POD, "late");
  private static final GangId OTHER = new GangId("bio", GangId.Origin.POD_GROUP, "secret");
  private static final Instant NOW = ServerImages.NOW;

  private final State full =
      ServerImages.cluster()
          .train(3)
          .bound("r0", "gpu-1")
          .bound("r1", "gpu-2")
          .bound("r2", "gpu-3")
          .state();
  private final GangTransitions history = new GangTransitions();

  private static List<String> states(ObjectNode json) {
    List<String> states = new ArrayList<>();
    for (JsonNode each : json.path("transitions")) {
      states.add((each.path("state").asText() + " " + each.path("reason").asText()).strip());
    }
    return states;
  }

  private ObjectNode seen(GangId gang, PageView view) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    history.addTo(json, gang, view);
    return json;
  }

  private List<String> states(GangId gang) {
    return states(seen(gang, PageView.WHOLE));
  }

  private void decide(Decision... decisions) {
    history.note(new Step(full, List.of(decisions), List.of()));
  }

  private static Explanation why(Optional<Veto> veto) {
    return new Explanation(1, NOW, 0, veto, SortedTable.empty());
  }

  private static Decision waits(GangId gang, Veto veto) {
    return new Decision.Wait(gang, why(Optional.of(veto)));
  }

  private static Decision refused(GangId gang) {
    return new Decision.Reject(gang, why(Optional.of(new Veto.NoPodGroup(1))));
  }

  @Test
  void gang_that_comes_is_queued_and_waits() {
    history.note(new Step(full, List.of(), List.of()));
    State state = full;
    for (Event event : ServerImages.lonePod("late", 8)) {
      Step step = new Engine(Policies.DEFAULT).step(state, event);
      history.note(step);
      state = step.after();
    }

    assertThat(states(LATE)).containsExactly("Queued", "Waits WaitingForCapacity");
  }

  @Test
  void gang_that_ran_before_this_process_has_no_start() {
    history.note(new Step(full, List.of(), List.of()));

    assertThat(states(ServerImages.TRAIN)).isEmpty();
  }

  @Test
  void equal_reason_is_no_new_transition() {
    decide(waits(LATE, new Veto.NoPodGroup(1)));
    decide(waits(LATE, new Veto.NoPodGroup(2)));

    assertThat(states(LATE)).containsExactly("Waits PodGroupMissing");
  }

  @Test
  void last_twenty_are_kept() {
    for (int i = 0; i < 15; i++) {
      decide(waits(LATE, new Veto.NoPodGroup(1)), refused(LATE));
    }

    assertThat(states(LATE))
        .hasSize(20)
        .endsWith("Waits PodGroupMissing", "Refused PodGroupMissing");
  }

  /// As many gangs of the namespace `ml` are refused a second later as are remembered.
  private void manyAreRefusedLater() {
    State later = full.with(full.cluster().apply(new Event.Tick(NOW.plusSeconds(1))));
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      decisions.add(refused(new GangId("ml", GangId.Origin.POD_GROUP, "g" + i)));
    }
    history.note(new Step(later, decisions, List.of()));
  }

  @Test
  void gangs_that_changed_long_ago_are_forgotten() {
    decide(refused(LATE));

    manyAreRefusedLater();

    assertThat(states(LATE)).isEmpty();
  }

  @Test
  void many_gangs_of_a_namespace_displace_none_of_another() {
    decide(refused(OTHER));

    manyAreRefusedLater();

    assertThat(states(OTHER)).containsExactly("Refused PodGroupMissing");
  }

  @Test
  void preemption_is_told_of_both_and_names_no_hidden_gang() {
    Victim victim = new Victim(LATE, SortedKeys.empty(), "lower", 0);
    decide(
        new Decision.Preempt(
            OTHER,
            List.of(victim),
            List.of(new NodeId("gpu-1")),
            true,
            "r",
            why(Optional.empty())));
    PageView tenant = new PageView(Set.of(), GangScope.all("ml"), true);

    assertThat(states(OTHER)).containsExactly("Preempts");
    assertThat(seen(LATE, PageView.WHOLE).toString()).contains("For bio/secret.");
    assertThat(seen(LATE, tenant).toString()).contains("For another gang.").doesNotContain("bio");
  }
}
