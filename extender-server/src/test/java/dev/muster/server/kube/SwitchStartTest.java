package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.server.kube.ScriptedApi.Call;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.start.NativeGroups;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Pods with a start switch start by one write of it.
@Timeout(30)
class SwitchStartTest extends OutboxScene {
  private static final String PATH = "/apis/scheduling.k8s.io/v1alpha2/namespaces/ml/podgroups";
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
          public Optional<GenericKubernetesResource> find(String key) {
            return key.equals("ml/" + NAME) ? on : Optional.empty();
          }

          @Override
          public List<GenericKubernetesResource> switches() {
            return on.stream().toList();
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
        """
            .formatted(time));
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
                NOW, GANG, POD, NODE, "The start switch could not be turned on: 403 forbidden"));
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
    assertThat(perform(seen(member(POD, GANG, new MemberState.Held(false))))).isEmpty();

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
    assertThat(perform(seen(member(POD, GANG, new MemberState.Held(false))))).isEmpty();
    assertThat(perform(seen(), start())).containsExactly(started());

    assertThat(server.calls("POST", "podgroups")).hasSize(1);
  }

  @Test
  void switch_of_a_starting_and_of_a_running_gang_stays() throws InterruptedException {
    on = Optional.of(since("2026-11-01T09:59:50Z"));
    assertThat(perform(promised(seen(), start()))).isEmpty();
    MemberId other = new MemberId("ml", "train-1", "u1");
    assertThat(perform(seen(member(other, GANG, new MemberState.Bound(NODE, NOW))), new Effect[0]))
        .isEmpty();

    assertThat(server.calls).isEmpty();
  }
}
