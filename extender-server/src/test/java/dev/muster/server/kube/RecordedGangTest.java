package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import dev.muster.server.kube.client.PodGroupDialect;
import io.fabric8.kubernetes.api.model.Pod;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A restart believes the records on objects as far as the listed objects confirm them.
@Timeout(60)
class RecordedGangTest extends KubeInboxScene {
  private MemberId member = new MemberId("ml", "none", "none");

  @BeforeEach
  void create() {
    member = pod("train-0", "train");
    MemberId other = pod("low-0", "low");
    String reservation =
        """
        {"version":1,"members":{"train-0":{"uid":"%s","node":"gpu-07"},\
        "train-1":{"uid":"u1","node":"gpu-07"},"low-0":{"uid":"%s","node":"gpu-07"}}}\
        """
            .formatted(member.uid(), other.uid());
    String victims =
        """
        {"version":1,"victims":[{"namespace":"ml","origin":"POD_GROUP","name":"low","rule":"r",\
        "lostWork":7,"members":{"low-0":"%s"}}]}\
        """
            .formatted(other.uid());
    group(
        "train",
        "muster.dev/reservation: '%s', muster.dev/victims: '%s'".formatted(reservation, victims));
    group("low", "muster.dev/preempted-by: '{\"by\":\"ml/train\",\"origin\":\"POD_GROUP\"}'");
    group("idle", "muster.dev/victims: '%s'".formatted(victims));
  }

  private MemberId pod(String name, String group) {
    Pod created =
        client
            .pods()
            .inNamespace("ml")
            .resource(
                Yaml.pod(
                    """
                    metadata: {namespace: ml, name: %s, labels: {scheduling.x-k8s.io/pod-group: %s}}
                    spec:
                      schedulerName: default-scheduler
                      containers: [{name: c, image: i, resources: {requests: {nvidia.com/gpu: "4"}}}]
                    """
                        .formatted(name, group)))
            .create();
    return new MemberId("ml", name, created.getMetadata().getUid());
  }

  private void group(String name, String annotations) {
    client
        .genericKubernetesResources(PodGroupDialect.context(VERSION))
        .inNamespace("ml")
        .resource(
            Yaml.group(
                """
                apiVersion: %s
                kind: PodGroup
                metadata: {namespace: ml, name: %s, annotations: {%s}}
                spec: {minMember: 1}
                """
                    .formatted(VERSION, name, annotations)))
        .create();
  }

  private GangSpec restarted(String gang) {
    start();
    await().until(() -> image().synced());
    return image().gang(gang(gang)).spec().orElseThrow();
  }

  @Test
  void promises_of_members_are_restored() {
    SortedTable<MemberId, NodeId> recorded = restarted("train").recorded();

    assertThat(recorded.keys()).containsExactly(member);
    assertThat(recorded.get(member)).contains(new NodeId("gpu-07"));
  }

  @Test
  void confirmed_victim_is_restored() {
    assertThat(restarted("train").preemption().victims().values())
        .extracting(victim -> victim.gang().name(), victim -> victim.members().size())
        .containsExactly(Tuple.tuple("low", 1));
  }

  /// Its own object names another preemptor.
  @Test
  void other_victim_is_known_without_members() {
    assertThat(restarted("idle").preemption().victims().values())
        .hasSize(1)
        .extracting(Victim::members)
        .allMatch(members -> members.isEmpty());
  }
}
