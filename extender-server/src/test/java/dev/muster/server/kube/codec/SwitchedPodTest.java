package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.server.kube.Yaml;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A pod with a start switch is in the gang that it names, and is kept until kube-scheduler tries
/// it.
class SwitchedPodTest extends PodCodecScene {
  private static final String LABELS = "labels: {scheduling.x-k8s.io/pod-group: train}";
  private static final String SWITCH =
      "schedulingGroup: {podGroupName: train.p100.gang.muster.dev}\n";

  @Test
  void switch_is_no_gang() {
    assertThat(ours(LABELS, SWITCH, "").member().gang())
        .isEqualTo(new GangId("ml", Origin.POD_GROUP, "train"));
    assertThat(ours("", SWITCH, "").member().gang().origin()).isEqualTo(Origin.POD);
    assertThat(
            ours("annotations: {scheduling.k8s.io/group-name: volcano}", SWITCH, "")
                .member()
                .gang())
        .isEqualTo(new GangId("ml", Origin.VOLCANO, "volcano"));
  }

  @Test
  void pod_is_kept_like_a_gated_one() {
    assertThat(ours(LABELS, SWITCH, "").member().state()).isEqualTo(new MemberState.Held(false));
    assertThat(
            ours(LABELS, SWITCH + "schedulingGates: [{name: other.example/gate}]\n", "")
                .member()
                .state())
        .isEqualTo(new MemberState.Held(true));
  }

  @Test
  void pod_that_kube_scheduler_refused_waits() {
    String refused =
        "conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: no}]";
    assertThat(ours(LABELS, SWITCH, refused).member().state())
        .isInstanceOf(MemberState.Waiting.class);
    assertThat(ours(LABELS, SWITCH, "nominatedNodeName: gpu-1").member().state())
        .isEqualTo(
            new MemberState.Waiting(Optional.of(new dev.muster.core.gang.NodeId("gpu-1")), false));
  }

  @Test
  void unmanaged_pod_with_a_switch_is_stray_until_it_has_run() {
    String pod = yaml("", SWITCH, "").replaceAll("nvidia.com/gpu: \"8\"", "memory: 1Gi");

    assertThat(CODEC.read(Yaml.pod(pod)))
        .isEqualTo(new PodFact.Stray(new MemberId("ml", "train-3", "u3")));
    assertThat(CODEC.read(Yaml.pod(pod.replace("Pending", "Succeeded"))))
        .isEqualTo(new PodFact.Nothing());
  }

  @Test
  void group_of_a_user_is_a_gang() {
    assertThat(ours("", "schedulingGroup: {podGroupName: train}\n", "").member().gang().origin())
        .isEqualTo(Origin.NATIVE);
  }
}
