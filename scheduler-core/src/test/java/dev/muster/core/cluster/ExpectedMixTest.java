package dev.muster.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Wishes;
import dev.muster.core.kit.Life;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// The mix is kept by counting what changes.
class ExpectedMixTest {
  @Property(tries = 100)
  void the_mix_is_what_counting_all_members_anew_comes_to(@ForAll @IntRange(min = 0) int seed) {
    Life life = new Life(seed);
    for (int turn = 0; turn < 30; turn++) {
      life.turn();
      assertThat(life.scene().cluster().mix()).isEqualTo(counted(life.scene().cluster()));
    }
    Cluster image = life.scene().cluster();
    for (Gang gang : image.gangs()) {
      GangSpec spec = gang.spec().orElseGet(() -> GangSpec.of(gang.id(), 1, "q0", Instant.EPOCH));
      image = image.apply(new Event.GangSeen(image.now(), only("A100", spec)));
      assertThat(image.mix()).as("%s asks for a model", gang.id()).isEqualTo(counted(image));
      image = image.apply(new Event.GangGone(image.now(), gang.id()));
      assertThat(image.mix()).as("%s lost its object", gang.id()).isEqualTo(counted(image));
    }
  }

  private static ExpectedMix counted(Cluster image) {
    ExpectedMix mix = ExpectedMix.NONE;
    for (Gang gang : image.gangs()) {
      for (Member member : gang.members()) {
        mix = mix.plus(Shape.of(member, gang));
      }
    }
    return mix;
  }

  private static GangSpec only(String model, GangSpec spec) {
    GpuChoice gpus = new GpuChoice(List.of(model), false);
    return spec.wishing(Wishes.of(spec.wishes().topology(), gpus));
  }
}
