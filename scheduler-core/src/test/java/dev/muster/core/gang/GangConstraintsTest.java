package dev.muster.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.TopologyConstraint.Layout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Constraints of the pods count where the gang's object states none, part by part.
class GangConstraintsTest {
  private static final GangConstraints POD =
      new GangConstraints(
          new TopologyConstraint(
              Optional.of("block"),
              Optional.of("rack"),
              Optional.of(new Slices(8, "nvlink")),
              Layout.BALANCED),
          new GpuModelPreference(List.of("H100"), true),
          Optional.of(Duration.ofHours(2)),
          new PreemptionPreference(false, Duration.ofMinutes(5), Optional.of(false)),
          Optional.of(16));

  private static GangConstraints within(Optional<String> required, Optional<String> preferred) {
    return GangConstraints.of(TopologyConstraint.of(required, preferred), GpuModelPreference.ANY);
  }

  private static GangConstraints stopping(PreemptionPreference said) {
    return new GangConstraints(
        TopologyConstraint.NONE, GpuModelPreference.ANY, Optional.empty(), said);
  }

  @Test
  void absent_constraint_takes_that_of_the_other() {
    assertThat(GangConstraints.NONE.or(POD)).isEqualTo(POD);
    assertThat(POD.or(GangConstraints.NONE)).isEqualTo(POD);
  }

  @Test
  void level_of_one_and_layout_of_the_other_both_count() {
    GangConstraints balanced =
        GangConstraints.of(
            new TopologyConstraint(
                Optional.empty(), Optional.empty(), Optional.empty(), Layout.BALANCED),
            GpuModelPreference.ANY);

    assertThat(balanced.or(within(Optional.of("rack"), Optional.empty())).topology())
        .isEqualTo(
            new TopologyConstraint(
                Optional.of("rack"), Optional.empty(), Optional.empty(), Layout.BALANCED));
  }

  @Test
  void preference_of_one_does_not_weaken_a_requirement_of_the_other() {
    GangConstraints preferred = within(Optional.empty(), Optional.of("rack"));
    GangConstraints required = within(Optional.of("block"), Optional.of("row"));

    assertThat(preferred.or(required).topology())
        .isEqualTo(TopologyConstraint.of(Optional.of("block"), Optional.of("rack")));
  }

  @Test
  void models_of_one_and_mix_of_the_other_both_count() {
    GangConstraints mix =
        GangConstraints.of(TopologyConstraint.NONE, new GpuModelPreference(List.of(), true));
    GangConstraints models =
        GangConstraints.of(TopologyConstraint.NONE, new GpuModelPreference(List.of("H100"), false));

    assertThat(mix.or(models).gpus()).isEqualTo(new GpuModelPreference(List.of("H100"), true));
    assertThat(models.or(POD).gpus().models()).containsExactly("H100");
  }

  @Test
  void protection_by_either_counts() {
    PreemptionPreference restart = new PreemptionPreference(true, Duration.ofMinutes(9));

    assertThat(stopping(restart).or(POD).stopping())
        .isEqualTo(new PreemptionPreference(false, Duration.ofMinutes(9), Optional.of(false)));
  }
}
