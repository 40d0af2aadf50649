package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A pod with a node stays in the gang under which it got the node.
class StayingPodsTest extends ChangeFilterScene {
  private static final String GPU = "resources: {requests: {nvidia.com/gpu: '1'}}";

  private Predicate<Member> promised = _ -> false;

  /// The gang that the owner of the pod has.
  private Optional<GangId> owned = Optional.empty();

  private final ChangeFilter filter =
      new ChangeFilter(mailbox::put, InstantSource.fixed(Instant.EPOCH), pod -> promised.test(pod));
  private final PodCodec codec =
      new PodCodec(
          List.of("nvidia.com/gpu"),
          Set.of("default-scheduler"),
          _ -> new ReadResult.Good<>(Resources.NONE),
          _ -> false,
          _ -> owned,
          filter::gangInWhichStays);

  @BeforeEach
  void allListed() throws InterruptedException {
    filter.synced();
    told();
  }

  private void seen(String uid, String group, String container, String more) {
    filter.pod(
        "ml/p",
        codec.read(
            Yaml.pod(
                """
                metadata: {namespace: ml, name: p, uid: %s, labels: {scheduling.x-k8s.io/pod-group: '%s'}}
                spec:
                  schedulerName: default-scheduler
                  containers: [{name: c, %s}]
                %s
                status: {phase: %s}
                """
                    .formatted(
                        uid,
                        group,
                        container,
                        more.indent(2).stripTrailing(),
                        more.isEmpty() ? "Pending" : "Running"))));
  }

  private void seen(String group, String more) {
    seen("u1", group, GPU, more);
  }

  @Test
  void running_pod_stays_in_its_gang_when_its_label_changes() throws InterruptedException {
    seen("g", "nodeName: n1");
    seen("h", "nodeName: n1");
    seen("", "nodeName: n1");

    assertThat(told()).isEqualTo("+u1@g");
  }

  @Test
  void running_pod_without_gpu_stays_when_its_label_goes() throws InterruptedException {
    seen("u1", "g", "image: i", "nodeName: n1");
    seen("u1", "", "image: i", "nodeName: n1");

    assertThat(told()).isEqualTo("+u1@g");
  }

  @Test
  void lone_running_pod_joins_no_gang() throws InterruptedException {
    seen("", "nodeName: n1");
    seen("g", "nodeName: n1");

    assertThat(told()).isEqualTo("+gang:p +u1@p +gang:p"); // its labels are its gang's
  }

  private void ofController(String controller, String group) {
    filter.pod(
        "ml/p",
        codec.read(
            Yaml.pod(
                """
                metadata:
                  namespace: ml
                  name: p
                  uid: u1
                  labels: {scheduling.x-k8s.io/pod-group: '%s'}
                  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: %s, controller: true}]
                spec: {schedulerName: default-scheduler, nodeName: n1, containers: [{name: c, %s}]}
                status: {phase: Running}
                """
                    .formatted(group, controller, GPU))));
  }

  /// The pod may be seen, and get its node, before its owner is.
  @Test
  void lone_running_pod_joins_the_gang_of_its_controller() throws InterruptedException {
    ofController("j1", "");
    told();
    owned = Optional.of(new GangId("ml", GangId.Origin.POD_GROUP, "j"));
    ofController("j1", "");

    assertThat(told()).endsWith("+u1@j -u1@p -gang:p");
  }

  @Test
  void lone_running_pod_joins_no_gang_of_another_controller_or_label() throws InterruptedException {
    ofController("j1", "");
    told();
    owned = Optional.of(new GangId("ml", GangId.Origin.POD_GROUP, "j"));
    ofController("j2", "");
    ofController("j1", "g");

    assertThat(told()).doesNotContain("@j").doesNotContain("@g");
  }

  private static final GangId GANG = new GangId("ml", GangId.Origin.POD_GROUP, "j");

  private String toldOf(GangId... owners) throws InterruptedException {
    for (GangId owner : owners) {
      owned = Optional.of(owner);
      ofController("j1", "");
    }
    owned = Optional.empty();
    ofController("j1", "");
    return told();
  }

  @Test
  void running_pod_of_a_replaced_owner_is_apart_for_good() throws InterruptedException {
    assertThat(toldOf(GANG, GANG.apart("j1"))).isEqualTo("+u1@j +u1@j@j1 -u1@j");
  }

  /// The pod of an owner that was created again may get its node before the owner is seen.
  @Test
  void pod_that_waits_apart_joins_the_gang_of_its_owner() throws InterruptedException {
    assertThat(toldOf(GANG.apart("j1"), GANG)).isEqualTo("+u1@j@j1 +u1@j -u1@j@j1");
  }

  /// Its account is that of its gang, which it would leave so.
  @Test
  void pod_that_is_apart_goes_to_no_other_group() throws InterruptedException {
    assertThat(toldOf(GANG.apart("j1"), GANG.apart("j2"))).isEqualTo("+u1@j@j1");
  }

  @Test
  void other_facts_of_a_staying_pod_are_the_newest() throws InterruptedException {
    seen("g", "nodeName: n1");
    seen("h", "nodeName: n1\npriority: 7");
    assertThat(told()).isEqualTo("+u1@g +u1@g");

    filter.pod("ml/p", new PodFact.Nothing());
    assertThat(told()).isEqualTo("-u1@g");
  }

  @Test
  void pod_stays_after_its_end() throws InterruptedException {
    seen("g", "nodeName: n1");
    filter.pod("ml/p", ended("g"));
    filter.pod("ml/p", ended("h"));

    assertThat(told()).isEqualTo("+u1@g +u1@g");
  }

  private PodFact ended(String group) {
    return codec.read(
        Yaml.pod(
            """
            metadata: {namespace: ml, name: p, uid: u1, labels: {scheduling.x-k8s.io/pod-group: '%s'}}
            spec: {schedulerName: default-scheduler, nodeName: n1, containers: [{name: c, %s}]}
            status: {phase: Failed}
            """
                .formatted(group, GPU)));
  }

  @Test
  void pod_with_a_promise_stays() throws InterruptedException {
    seen("g", "");
    promised = pod -> pod.gang().name().equals("g");
    seen("h", "");

    assertThat(told()).isEqualTo("+u1@g");
  }

  @Test
  void pod_without_a_node_follows_its_label() throws InterruptedException {
    seen("g", "");
    seen("h", "");

    assertThat(told()).isEqualTo("+u1@g -u1@g +u1@h");
  }

  @Test
  void next_pod_of_the_name_follows_its_own_label() throws InterruptedException {
    seen("g", "nodeName: n1");
    seen("u2", "h", GPU, "nodeName: n1");

    assertThat(told()).isEqualTo("+u1@g -u1@g +u2@h");
  }

  /// Its owner may be listed later.
  @Test
  void running_pod_follows_its_label_until_all_objects_are_listed() throws InterruptedException {
    var unsynced = new ChangeFilter(mailbox::put, InstantSource.fixed(Instant.EPOCH));
    unsynced.pod("ml/p", pod("u1", "g", "nodeName: n1"));

    assertThat(
            unsynced.gangInWhichStays(
                Yaml.pod("metadata: {namespace: ml, name: p, uid: u1}\nspec: {nodeName: n1}"),
                new GangId("ml", GangId.Origin.POD, "p")))
        .isEmpty();
  }
}
