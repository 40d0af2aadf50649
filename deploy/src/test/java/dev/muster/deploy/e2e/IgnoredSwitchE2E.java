package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The API server serves native PodGroups, but kube-scheduler does not know them.
@EnabledIf(value = "isServed", disabledReason = "Tested with the native PodGroup of 1.36")
class IgnoredSwitchE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped().on(NativeSwitch::served);

  private final TestGangs gangs = STAGE.gangs();

  static boolean isServed() {
    return NativeSwitch.isServed();
  }

  @Test
  void gang_with_an_ignored_switch_starts_and_later_ones_get_gates() {
    NativeSwitch switches = new NativeSwitch(STAGE);
    switches.awaitHold("native");
    STAGE.cluster().createNodes(NodeShape.withGpus("ign-a", 8), NodeShape.withGpus("ign-b", 8));
    gangs.declare("first", 3);
    gangs.createMember("first", 0, 4);
    gangs.createMember("first", 1, 4);
    switches.awaitHold("gate");
    gangs.createMember("first", 2, 8); // this one has a gate
    gangs.awaitRunning("first", 3);

    gangs.create("second", 8, 2);

    assertThat(gangs.members("second"))
        .allMatch(pod -> pod.getSpec().getSchedulingGates().size() == 1)
        .allMatch(pod -> NativeSwitch.named(pod).isEmpty());
    gangs.deleteMembers("first");
    gangs.awaitRunning("second", 8);
  }
}
