package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.engine.Effect;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Victim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What a restart reads of what a victim was told.
class VictimsRecordTest {
  private static final GangId BY = new GangId("ml", GangId.Origin.NATIVE, "prod");
  private static final Instant AT = Instant.parse("2026-11-01T12:00:00Z");

  private static PreemptionRecord read(String preemptedBy) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("ml")
            .withName("low")
            .withAnnotations(Map.of(Names.PREEMPTED_BY, preemptedBy))
            .endMetadata()
            .build();
    return VictimsRecord.read(pod);
  }

  @Test
  void aVictimSaysForWhomItIsStoppedAndUntilWhen() {
    GangId low = new GangId("ml", GangId.Origin.POD, "low");
    Victim victim = new Victim(low, SortedTable.empty(), "rule", 0);
    var notice = new Effect.Notice(BY, victim, "r1", Optional.of(AT), List.of(AT), false);

    assertThat(read(VictimsRecord.text(notice)).notice())
        .contains(new PreemptionRecord.Notice(BY, Optional.of(AT)));
  }

  @Test
  void whatMakesNoSenseIsAsGoodAsUnsaid() {
    assertThat(List.of("{", "[]", "{\"by\":\"ml/prod\"}", "{\"by\":\"/\",\"origin\":\"POD\"}"))
        .allSatisfy(text -> assertThat(read(text).notice()).isEmpty());
  }
}
