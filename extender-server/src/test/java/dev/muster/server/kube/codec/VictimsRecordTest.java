package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A restart reads the notices of victims from their objects.
class VictimsRecordTest {
  private static final GangId BY = new GangId("ml", GangId.Origin.NATIVE, "prod");
  private static final Instant AT = Instant.parse("2026-11-01T12:00:00Z");

  private static PreemptionRecord read(String preemptedBy) {
    return read(WellKnownNames.PREEMPTED_BY, preemptedBy);
  }

  private static PreemptionRecord read(String annotation, String text) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("ml")
            .withName("low")
            .withAnnotations(Map.of(annotation, text))
            .endMetadata()
            .build();
    return VictimsRecord.read(pod);
  }

  @Test
  void victim_names_its_preemptor_and_deadline() {
    GangId low = new GangId("ml", GangId.Origin.POD, "low");
    Victim victim = new Victim(low, SortedKeys.empty(), "rule", 0);
    var notice = new Effect.Notice(BY, victim, "r1", Optional.of(AT), List.of(AT), false);

    assertThat(read(VictimsRecord.text(notice)).notice())
        .contains(new PreemptionRecord.Notice(BY, Optional.of(AT)));
  }

  /// The engine knows by the time alone whether the object tells of another stop or of this one.
  @Test
  void time_of_preemption_is_read_as_written() {
    List<Instant> stopped = List.of(AT, AT.plusNanos(272_939_515));

    assertThat(read(WellKnownNames.PREEMPTED_AT, VictimsRecord.text(stopped)).stopped())
        .isEqualTo(stopped);
  }

  @Test
  void malformed_record_counts_as_absent() {
    assertThat(List.of("{", "[]", "{\"by\":\"ml/prod\"}", "{\"by\":\"/\",\"origin\":\"POD\"}"))
        .allSatisfy(text -> assertThat(read(text).notice()).isEmpty());
  }
}
