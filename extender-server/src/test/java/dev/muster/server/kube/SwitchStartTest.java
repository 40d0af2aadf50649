package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.State;
import dev.muster.server.kube.ScriptedApi.Call;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.start.NativeGroups;
import dev.muster.server.kube.start.SeenSwitch;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Pods with a start switch start by one write of it.
@Timeout(30)
class SwitchStartTest extends OutboxScene {
  private static final String PATH = "/apis/scheduling.k8s.io/v1alpha2/namespaces/ml/podgroups";
  private static final String OWNER =
      "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, name: train, uid: g1}";
  private static final String NAME = "train.p0.gang.muster.dev";

  private Optional<GenericKubernetesResource> on = Optional.empty();
  private boolean isServed = true;

  SwitchStartTest() {
    stored = Optional.of(pod(""));
    nativeGroups =
        new NativeGroups() {
          @Override
          public Optional<String> served() {
            return Optional.of("scheduling.k8s.io/v1alpha2").filter(_ -> isServed);
          }

          @Override
          public Optional<SeenSwitch> find(String key) {
            return on.filter(_ -> key.equals("ml/" + NAME)).map(SeenSwitch::of);
          }

          @Override
          public List<SeenSwitch> switches() {
            return on.map(SeenSwitch::of).stream().toList();
          }
        };
  }

  private static Pod pod(String gates) {
    return Yaml.pod(
        """
        apiVersion: v1
        kind: Pod
        metadata: {namespace: ml, name: train-0, uid: u0}
        spec:
          schedulingGroup: {podGroupName: train.p0.gang.muster.dev}
          containers: []
          %s
        """
            .formatted(gates));
  }

  private static GenericKubernetesResource since(String time) {
    return Yaml.group(
        """
        apiVersion: scheduling.k8s.io/v1alpha2
        kind: PodGroup
        metadata:
          namespace: ml
          name: train.p0.gang.muster.dev
          uid: s1
          creationTimestamp: "%s"
          ownerReferences: [{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, name: train, uid: g1}]
        spec: {schedulingPolicy: {basic: {}}}
        """
            .formatted(time));
  }

  private static GenericKubernetesResource foreign(String owners, String policy, String deleted) {
    return Yaml.group(
        """
        apiVersion: scheduling.k8s.io/v1alpha2
        kind: PodGroup
        metadata:
          namespace: ml
          name: train.p0.gang.muster.dev
          uid: s0
          creationTimestamp: "2026-11-01T09:59:50Z"
          ownerReferences: [%s]
          %s
        spec: {schedulingPolicy: {%s}}
        """
            .formatted(owners, deleted, policy));
  }

  private static State synced(State state) {
    return state.with(state.cluster().apply(new Event.Synced(NOW)));
  }

  private static State waiting() {
    return seen(member(POD, GANG, new MemberState.Held(false)));
  }

  private static State refused() {
    return seen(member(POD, GANG, new MemberState.Waiting(Optional.empty(), true)));
  }

  private static Event started() {
    return new Event.MemberStarted(NOW, GANG, POD, NODE);
  }

  @Test
  void switch_belongs_to_the_pod_group_of_the_gang() throws InterruptedException {
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls)
        .containsExactly(
            new Call(
                "POST",
                PATH,
                "application/json",
                """
                {"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup",\
                "metadata":{"name":"train.p0.gang.muster.dev",\
                "ownerReferences":[{"apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":"PodGroup",\
                "name":"train","uid":"g1"}]},"spec":{"schedulingPolicy":{"basic":{}}}}\
                """));
  }

  @Test
  void second_start_makes_no_call() throws InterruptedException {
    assertThat(perform(seen(), start())).hasSize(1);
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls).hasSize(1);
  }

  @Test
  void switch_that_exists_already_is_on() throws InterruptedException {
    server.answers(_ -> Reply.refused(409, "already exists"));

    assertThat(perform(seen(), start())).containsExactly(started());
    assertThat(server.calls).hasSize(1);
  }

  @Test
  void forbidden_switch_is_reported() throws InterruptedException {
    server.answers(_ -> Reply.refused(403, "forbidden"));

    assertThat(perform(seen(), start()))
        .containsExactly(
            new Event.MemberNotStarted(
                NOW,
                GANG,
                POD,
                NODE,
                "The start switch could not be turned on: 403 forbidden",
                Optional.of(403)));
  }

  @Test
  void failure_that_may_pass_is_no_refusal() throws InterruptedException {
    server.answers(_ -> Reply.refused(503, "later"));

    assertThat(perform(seen(), start()))
        .containsExactly(
            new Event.MemberNotStarted(
                NOW, GANG, POD, NODE, "The start switch could not be turned on: 503 later"));
  }

  @ParameterizedTest
  @MethodSource("foreigners")
  void pod_group_that_does_not_start_the_pods_is_replaced(GenericKubernetesResource foreign)
      throws InterruptedException {
    on = Optional.of(foreign);
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls).extracting(Call::method).containsExactly("DELETE", "PATCH", "POST");
    assertThat(server.calls.getFirst().body()).contains("\"uid\":\"s0\"");
  }

  static List<GenericKubernetesResource> foreigners() {
    String other = OWNER.replace("g1", "g0");
    return List.of(
        foreign("", "basic: {}", ""),
        foreign(other, "basic: {}", ""),
        foreign(OWNER, "gang: {minCount: 1000}", ""),
        foreign(OWNER, "basic: {}", "deletionTimestamp: \"2026-11-01T09:59:55Z\""));
  }

  @Test
  void switch_without_owner_is_turned_off_while_the_gang_of_its_name_waits()
      throws InterruptedException {
    on = Optional.of(foreign("", "basic: {}", ""));
    assertThat(perform(synced(waiting()))).isEmpty();

    assertThat(server.calls).extracting(Call::method).containsExactly("DELETE", "PATCH");
  }

  @Test
  void nothing_is_turned_off_before_all_objects_were_seen() throws InterruptedException {
    on = Optional.of(since("2026-11-01T09:59:50Z"));
    assertThat(perform(waiting())).isEmpty();

    assertThat(server.calls).isEmpty();
  }

  @Test
  void switch_of_an_unmanaged_pod_is_turned_on() throws InterruptedException {
    outbox.open(POD);
    assertThat(perform(seen())).isEmpty();

    assertThat(server.calls).singleElement().matches(call -> call.is("POST", "podgroups"));
    assertThat(server.calls.getFirst().body()).contains("\"uid\":\"u0\"");
  }

  @Test
  void unmanaged_pod_waits_for_the_gang_of_its_switch() throws InterruptedException {
    MemberId other = new MemberId("ml", "train-1", "u1");
    assertThat(perform(seen(member(other, GANG, new MemberState.Held(false))))).isEmpty();
    outbox.open(POD);
    assertThat(outbox.await(Duration.ofSeconds(20))).isTrue();

    assertThat(server.calls).isEmpty();
  }

  @Test
  void pod_is_nominated_where_native_pod_groups_are_no_longer_served() throws InterruptedException {
    isServed = false;
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls).singleElement().matches(call -> call.is("PATCH", "train-0/status"));
    assertThat(server.calls.getFirst().body()).contains("nominatedNodeName", "nominated-at");
  }

  @Test
  void refused_pod_is_nominated_too() throws InterruptedException {
    assertThat(perform(refused(), start())).containsExactly(started());

    assertThat(server.calls).extracting(Call::method).containsExactly("POST", "PATCH");
  }

  @Test
  void pod_that_is_not_bound_in_time_is_nominated() throws InterruptedException {
    on = Optional.of(since("2026-11-01T09:59:50Z"));
    assertThat(perform(seen(), start())).containsExactly(started());
    assertThat(server.calls).isEmpty();
    on = Optional.of(since("2026-11-01T09:59:45Z"));
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls).singleElement().matches(call -> call.is("PATCH", "train-0/status"));
  }

  @Test
  void gate_beside_a_switch_is_removed() throws InterruptedException {
    stored = Optional.of(pod("schedulingGates: [{name: muster.dev/gang}]"));
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls).hasSize(2).contains(UNGATED);
  }

  @Test
  void lone_pod_owns_its_switch() throws InterruptedException {
    group = Optional.empty();
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls.getFirst().body())
        .contains("\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\"")
        .contains("\"uid\":\"u0\"");
  }

  @Test
  void switch_is_turned_off_while_its_gang_waits_without_promise() throws InterruptedException {
    on = Optional.of(since("2026-11-01T09:59:50Z"));
    assertThat(perform(synced(waiting()))).isEmpty();

    assertThat(server.calls)
        .containsExactly(
            new Call(
                "DELETE",
                PATH + "/" + NAME,
                "application/json",
                "{\"preconditions\":{\"uid\":\"s1\"}}"),
            new Call(
                "PATCH",
                PATH + "/" + NAME,
                "application/merge-patch+json",
                "{\"metadata\":{\"uid\":\"s1\",\"finalizers\":null}}"));
  }

  @Test
  void switch_is_on_again_by_another_write_after_it_was_turned_off() throws InterruptedException {
    on = Optional.of(since("2026-11-01T09:59:50Z"));
    assertThat(perform(synced(waiting()))).isEmpty();
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls("POST", "podgroups")).hasSize(1);
  }

  @Test
  void switch_of_a_starting_and_of_a_running_gang_stays() throws InterruptedException {
    on = Optional.of(since("2026-11-01T09:59:50Z"));
    assertThat(perform(synced(promised(seen(), start())))).isEmpty();
    MemberId other = new MemberId("ml", "train-1", "u1");
    assertThat(perform(synced(seen(member(other, GANG, new MemberState.Bound(NODE, NOW))))))
        .isEmpty();

    assertThat(server.calls).isEmpty();
  }
}
