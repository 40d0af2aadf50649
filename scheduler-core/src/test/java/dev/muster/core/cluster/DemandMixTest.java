package dev.muster.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.RandomWorkload;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// The demand mix is updated by counting changes.
class DemandMixTest {
  @Property(tries = 100)
  void mix_equals_a_full_recount(@ForAll @IntRange(min = 0) int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 30; turn++) {
      workload.turn();
      assertThat(workload.scene().cluster().mix()).isEqualTo(counted(workload.scene().cluster()));
    }
    Cluster image = workload.scene().cluster();
    for (Gang gang : image.gangs()) {
      GangSpec spec = gang.spec().orElseGet(() -> GangSpec.of(gang.id(), 1, "q0", Instant.EPOCH));
      image = image.apply(new Event.GangSeen(image.now(), only("A100", spec)));
      assertThat(image.mix()).as("%s asks for a model", gang.id()).isEqualTo(counted(image));
      image = image.apply(new Event.GangGone(image.now(), gang.id()));
      assertThat(image.mix()).as("%s lost its object", gang.id()).isEqualTo(counted(image));
    }
  }

  private static DemandMix counted(Cluster image) {
    DemandMix mix = DemandMix.NONE;
    for (Gang gang : image.gangs()) {
      for (Member member : gang.members()) {
        mix = member.request().wantsGpu() ? mix.plus(RequestShape.of(member, gang)) : mix;
      }
    }
    return mix;
  }

  private static GangSpec only(String model, GangSpec spec) {
    GpuModelPreference gpus = new GpuModelPreference(List.of(model), false);
    return spec.wishing(GangConstraints.of(spec.wishes().topology(), gpus));
  }
}
