package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.PreemptionPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.preempt.GangProfiles;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.GangProfile;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What owners state about their gangs counts within bounds.
class GangProfilesTest {
  private static GangProfile after(Duration time, GangDraft draft) {
    Scene scene = Scene.of("b/r: n1[....]").arrives(draft).after(time);
    Gang gang = scene.cluster().gang(draft.id());
    return new GangProfiles(scene.state(), Policies.DEFAULT).running(gang, gang.bound());
  }

  private static GangDraft restarting(Duration restart) {
    PreemptionPreference stated = new PreemptionPreference(true, restart, Optional.empty());
    return gang("runs")
        .of(1, 4)
        .podsWish(
            new GangConstraints(
                TopologyConstraint.NONE, GpuModelPreference.ANY, Optional.empty(), stated));
  }

  @Test
  void run_has_a_rest_until_its_stated_end() {
    GangDraft hour = gang("runs").of(1, 4).running(Duration.ofHours(1));
    assertThat(after(Duration.ofMinutes(50), hour).remaining()).contains(Duration.ofMinutes(10));
  }

  /// A protection of nearly finished gangs would spare a gang of a minute for an hour.
  @Test
  void run_that_takes_longer_than_stated_has_no_rest() {
    GangDraft minute = gang("runs").of(1, 4).running(Duration.ofMinutes(1));
    assertThat(after(Duration.ofMinutes(30), minute).remaining()).isEmpty();
  }

  @Test
  void restart_counts_up_to_an_hour_or_the_time_of_the_run() {
    Duration years = Duration.ofDays(100_000);
    assertThat(after(Duration.ofMinutes(10), restarting(years)).lostWork())
        .isEqualTo(4 * (600 + 3600));
    assertThat(after(Duration.ofHours(3), restarting(years)).lostWork())
        .isEqualTo(4 * (3 * 3600 + 3 * 3600));
  }
}
