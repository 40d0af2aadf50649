package dev.muster.server.kube.start;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The name of a start switch is the name of a PodGroup that no user chooses.
class StartSwitchTest {
  @Test
  void name_has_gang_and_priority() {
    assertThat(StartSwitch.name("train", 1000)).contains("train.p1000.gang.muster.dev");
    assertThat(StartSwitch.name("train.v2", -5)).contains("train.v2.p-5.gang.muster.dev");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Train", "train_1", "train-", "-train", ".train", "", "tr ain"})
  void gang_that_no_pod_group_can_have_has_no_switch(String gang) {
    assertThat(StartSwitch.name(gang, 0)).isEmpty();
  }

  @Test
  void name_beyond_the_limit_of_kubernetes_is_no_switch() {
    assertThat(StartSwitch.name("a".repeat(250), 0)).isEmpty();
  }

  @Test
  void group_of_a_user_is_no_switch() {
    assertThat(StartSwitch.isOne("train")).isFalse();
    assertThat(StartSwitch.isOne("gang.muster.dev")).isFalse();
    assertThat(StartSwitch.isOne("train.p0.gang.muster.dev")).isTrue();
  }

  @Test
  void gang_follows_from_the_name() {
    assertThat(StartSwitch.gang("train.p0.gang.muster.dev")).contains("train");
    assertThat(StartSwitch.gang("train.p1.p-5.gang.muster.dev")).contains("train.p1");
    assertThat(StartSwitch.gang("x.gang.muster.dev")).isEmpty();
    assertThat(StartSwitch.gang("train")).isEmpty();
  }
}
