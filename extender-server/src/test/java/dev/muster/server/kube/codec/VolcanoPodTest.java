package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ReadResult;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  /// Muster names groups of pods so, in which the account of a gang is kept.
  @ParameterizedTest
  @ValueSource(strings = {"v@queue:a", "v@o1", "a b", "a/b", "-v"})
  void annotation_that_can_name_no_pod_group_is_refused(String name) {
    PodFact.Ours pod = annotated("scheduling.volcano.sh/group-name: '" + name + "'");

    assertThat(pod.member().gang().origin()).isEqualTo(GangId.Origin.POD);
    assertThat(pod.problem().orElseThrow().message())
        .startsWith("The annotation scheduling.volcano.sh/group-name is (" + name + ");")
        .contains("must be the name of a PodGroup");
  }

  private static PodFact.Ours pod(String annotations) {
    return annotated("scheduling.k8s.io/group-name: v" + annotations);
  }

  private static PodFact.Ours annotated(String annotations) {
    String yaml =
        """
        metadata:
          namespace: ml
          name: p
          uid: u
          creationTimestamp: "2026-11-01T10:00:00Z"
          annotations: {%s}
        spec: {schedulerName: default-scheduler, containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}
        """
            .formatted(annotations);
    return (PodFact.Ours) CODEC.read(Yaml.pod(yaml));
  }
}
