package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ReadResult;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Volcano pods declare the gang that their annotations name.
class VolcanoPodTest {
  private static final PodCodec CODEC =
      new PodCodec(
          List.of("nvidia.com/gpu"),
          Set.of("default-scheduler"),
          _ -> new ReadResult.Good<>(Resources.NONE));
  private static final String MINIMUM = ", scheduling.volcano.sh/group-min-member: ";

  @Test
  void annotated_minimum_is_read() {
    assertThat(pod(MINIMUM + "'4'").own().orElseThrow().minCount()).isEqualTo(4);
    assertThat(pod(MINIMUM + "four").problem().orElseThrow().message()).contains("(four)");
    assertThat(pod(MINIMUM + "'0'").problem().orElseThrow().message())
        .contains("annotation scheduling.volcano.sh/group-min-member is (0)");
    assertThat(pod("").own()).isEmpty();
  }

  @Test
  void maximum_below_the_minimum_is_raised_to_it() {
    PodFact.Ours pod = pod(MINIMUM + "'4', muster.dev/max-count: '2'");

    assertThat(pod.own().orElseThrow().maxCount()).contains(4);
  }

  private static PodFact.Ours pod(String annotations) {
    String yaml =
        """
        metadata:
          namespace: ml
          name: p
          uid: u
          creationTimestamp: "2026-11-01T10:00:00Z"
          annotations: {scheduling.k8s.io/group-name: v%s}
        spec: {schedulerName: default-scheduler, containers: [{name: c}]}
        """
            .formatted(annotations);
    return (PodFact.Ours) CODEC.read(Yaml.pod(yaml));
  }
}
