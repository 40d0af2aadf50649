package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.GangPhase;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangPast.RunEnd;
import dev.muster.core.state.GangStatus;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.PodGroupDialect;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The past of a gang is on its PodGroup as conditions and an annotation.
class GangPastCodecTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");

  private static GenericKubernetesResource group(String more) {
    return Yaml.group("metadata: {namespace: ml, name: a, uid: g%s".formatted(more));
  }

  private static Optional<GangPast> read(String more) {
    return GangPastCodec.read(group(more), PodGroupDialect.SCHEDULER_PLUGINS);
  }

  private static GangStatus status(GangPhase phase) {
    return new GangStatus(phase, 2, 2, 0, 0, 0, "Any", "Any.");
  }

  private static List<Map<String, Object>> conditions(
      GangPast past, GangPhase phase, String onObject) {
    return GangPastCodec.conditions(past, status(phase), group(onObject), NOW).stream()
        .map(c ->
            Map.<String, Object>of(
                "type", c.path("type").asText(),
                "status", c.path("status").asText(),
                "reason", c.path("reason").asText(),
                "message", c.path("message").asText(),
                "lastTransitionTime", c.path("lastTransitionTime").asText()))
        .toList();
  }

  @Property(tries = 50)
  void conditions_are_read_as_they_were_written(
      @ForAll @IntRange(max = 5000) int succeeded,
      @ForAll @IntRange(max = 5000) int failed,
      @ForAll @IntRange(max = 100_000) int seconds) {
    GangPast past =
        new GangPast(
            Optional.empty(),
            Optional.of(NOW.minusSeconds(seconds)),
            Optional.of(new RunEnd(succeeded, failed)),
            Optional.empty());
    GenericKubernetesResource group = group("}");
    group.setAdditionalProperty(
        "status", Map.of("conditions", conditions(past, GangPhase.LEAVING, "}")));
    assertThat(GangPastCodec.read(group, PodGroupDialect.NATIVE)).contains(past);
  }

  @Test
  void minimum_is_read_from_the_annotation() {
    assertThat(read(", annotations: {muster.dev/ran-with: '2'}}"))
        .contains(GangPast.NONE.running(Optional.of(2)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "two", "", "99999999999"})
  void invalid_minimum_is_ignored(String text) {
    assertThat(read(", annotations: {muster.dev/ran-with: '%s'}}".formatted(text))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Finished", "Failed"})
  void end_is_read_from_the_phase_of_scheduler_plugins(String phase) {
    assertThat(read("}\nstatus: {phase: %s, succeeded: 1, failed: 3}".formatted(phase)))
        .contains(GangPast.NONE.ending(Optional.of(new RunEnd(1, 3))));
  }

  @Test
  void age_from_before_the_object_is_ignored() {
    assertThat(
            read(
                ", creationTimestamp: '2026-11-01T10:00:00Z'}\nstatus: {conditions: [{type: Eligible, status: 'True', lastTransitionTime: '2026-10-01T00:00:00Z'}]}"))
        .isEmpty();
  }

  @Test
  void invalid_counts_are_ignored() {
    assertThat(read("}\nstatus: {phase: Finished, succeeded: many}"))
        .contains(GangPast.NONE.ending(Optional.of(new RunEnd(0, 0))));
  }

  @Test
  void gang_that_runs_has_not_ended() {
    assertThat(read("}\nstatus: {phase: Running, succeeded: 1}")).isEmpty();
  }

  @Test
  void end_is_withdrawn_when_the_gang_runs_again() {
    String finished = "}\nstatus: {conditions: [{type: Finished, status: 'True'}]}";
    assertThat(conditions(GangPast.NONE, GangPhase.PENDING, finished))
        .singleElement()
        .satisfies(c -> assertThat(c).containsEntry("status", "False"));
  }

  @Test
  void evicted_members_are_remembered_until_they_are_replaced() {
    GangPast past = GangPast.NONE.evicted(Optional.of(NOW));
    GenericKubernetesResource group = group("}");
    group.setAdditionalProperty(
        "status", Map.of("conditions", conditions(past, GangPhase.GATHERING, "}")));
    assertThat(GangPastCodec.read(group, PodGroupDialect.NATIVE)).contains(past);
    String shown = "}\nstatus: {conditions: [{type: Finished, status: 'False', reason: Evicted}]}";
    assertThat(conditions(GangPast.NONE, GangPhase.PENDING, shown))
        .singleElement()
        .satisfies(c -> assertThat(c).containsEntry("reason", "RunsAgain"));
  }

  @Test
  void gang_without_a_past_has_no_condition() {
    assertThat(conditions(GangPast.NONE, GangPhase.BOUND, "}")).isEmpty();
  }
}
