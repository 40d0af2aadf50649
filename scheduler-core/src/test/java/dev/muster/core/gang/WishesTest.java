package dev.muster.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.TopologyConstraint.Layout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What the pods wish counts where the gang's object says nothing, part by part.
class WishesTest {
  private static final Wishes POD =
      new Wishes(
          new TopologyConstraint(
              Optional.of("block"),
              Optional.of("rack"),
              Optional.of(new Slices(8, "nvlink")),
              Layout.BALANCED),
          new GpuChoice(List.of("H100"), true),
          Optional.of(Duration.ofHours(2)),
          new Stopping(false, Duration.ofMinutes(5), Optional.of(false)),
          Optional.of(16));

  private static Wishes within(Optional<String> required, Optional<String> preferred) {
    return Wishes.of(TopologyConstraint.of(required, preferred), GpuChoice.ANY);
  }

  private static Wishes stopping(Stopping said) {
    return new Wishes(TopologyConstraint.NONE, GpuChoice.ANY, Optional.empty(), said);
  }

  @Test
  void whoSaysNothingLeavesItToTheOther() {
    assertThat(Wishes.NONE.or(POD)).isEqualTo(POD);
    assertThat(POD.or(Wishes.NONE)).isEqualTo(POD);
  }

  @Test
  void aLevelOnOneAndALayoutOnTheOtherBothCount() {
    Wishes balanced =
        Wishes.of(
            new TopologyConstraint(
                Optional.empty(), Optional.empty(), Optional.empty(), Layout.BALANCED),
            GpuChoice.ANY);

    assertThat(balanced.or(within(Optional.of("rack"), Optional.empty())).topology())
        .isEqualTo(
            new TopologyConstraint(
                Optional.of("rack"), Optional.empty(), Optional.empty(), Layout.BALANCED));
  }

  @Test
  void whatIsPreferredByOneTakesNothingFromWhatTheOtherRequires() {
    Wishes preferred = within(Optional.empty(), Optional.of("rack"));
    Wishes required = within(Optional.of("block"), Optional.of("row"));

    assertThat(preferred.or(required).topology())
        .isEqualTo(TopologyConstraint.of(Optional.of("block"), Optional.of("rack")));
  }

  @Test
  void modelsOfOneAndAMixOfTheOtherBothCount() {
    Wishes mix = Wishes.of(TopologyConstraint.NONE, new GpuChoice(List.of(), true));
    Wishes models = Wishes.of(TopologyConstraint.NONE, new GpuChoice(List.of("H100"), false));

    assertThat(mix.or(models).gpus()).isEqualTo(new GpuChoice(List.of("H100"), true));
    assertThat(models.or(POD).gpus().models()).containsExactly("H100");
  }

  @Test
  void whoeverProtectsItIsHeard() {
    Stopping restart = new Stopping(true, Duration.ofMinutes(9));

    assertThat(stopping(restart).or(POD).stopping())
        .isEqualTo(new Stopping(false, Duration.ofMinutes(9), Optional.of(false)));
  }
}
