package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.state.Effect;
import dev.muster.core.state.GangStatus;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.start.NativeGroups;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;

/// An outbox in front of a scripted API server.
public abstract class OutboxScene {
  public static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  public static final GangId GANG = new GangId("ml", Origin.POD_GROUP, "train");
  public static final NodeId NODE = new NodeId("gpu-07");
  public static final MemberId POD = new MemberId("ml", "train-0", "u0");

  /// The call that removes the gate of [#POD] and keeps other gates.
  public static final ScriptedApi.Call UNGATED =
      new ScriptedApi.Call(
          "PATCH",
          "/api/v1/namespaces/ml/pods/train-0",
          "application/strategic-merge-patch+json",
          """
          {"metadata":{"uid":"u0"},"spec":{"schedulingGates":[{"$patch":"delete","name":"muster.dev/gang"}]}}\
          """);

  public final ScriptedApi server = new ScriptedApi();
  final KubernetesClient client = server.client();
  final Mailbox mailbox = new Mailbox(100);
  Optional<GenericKubernetesResource> group = Optional.of(group(""));
  Optional<PodCondition> said = Optional.empty();
  Optional<Pod> stored = Optional.empty();

  /// Pods beside the stored one.
  protected final Map<MemberId, Pod> others = new HashMap<>();

  NativeGroups nativeGroups = NativeGroups.NONE;
  public boolean claimed;
  volatile boolean leads = true;
  final KubeOutbox outbox =
      new KubeOutbox(
          new KubeOutbox.Ends(
              new ApiCalls(client, () -> leads ? Duration.ofSeconds(15) : Duration.ZERO),
              mailbox,
              new Shown(),
              () -> nativeGroups,
              InstantSource.fixed(NOW)),
          State.empty(new Topology(List.of())),
          new Retries(List.of(Duration.ofMillis(1), Duration.ofMillis(1))));

  /// The shown statuses of objects in the cluster.
  final class Shown implements GangObjects {
    @Override
    public Optional<GenericKubernetesResource> find(GangId gang) {
      return gang.equals(GANG) ? group : Optional.empty();
    }

    @Override
    public boolean claimsGpus(MemberId pod) {
      return claimed;
    }

    @Override
    public Optional<Pod> pod(MemberId pod) {
      return pod.equals(POD) && stored.isPresent() ? stored : Optional.ofNullable(others.get(pod));
    }

    @Override
    public Optional<PodCondition> admitted(MemberId pod) {
      return said;
    }
  }

  @AfterEach
  void close() {
    outbox.close();
    client.close();
    server.close();
  }

  static GenericKubernetesResource group(String status) {
    return Yaml.group(
        """
        apiVersion: scheduling.x-k8s.io/v1alpha1
        kind: PodGroup
        metadata: {namespace: ml, name: train, uid: g1}
        spec: {minMember: 2}
        %s
        """
            .formatted(status));
  }

  public static Member member(MemberId id, GangId gang, MemberState state) {
    return member(id, gang, state, 1);
  }

  /// A member that requests so many GPUs.
  public static Member member(MemberId id, GangId gang, MemberState state, int gpus) {
    Request request = Request.of(Resources.of("pods", 1), gpus);
    return new Member(id, gang, 0, 0, request, GangConstraints.NONE, state, NOW);
  }

  /// A state in which these members were seen.
  public static State seen(Member... members) {
    State empty = State.empty(new Topology(List.of()));
    var cluster = empty.cluster();
    for (Member member : members) {
      cluster = cluster.apply(new Event.MemberSeen(NOW, member));
    }
    return empty.with(cluster);
  }

  public List<Event> perform(State state, Effect... effects) throws InterruptedException {
    outbox.perform(new Step(promised(state, effects), List.of(), List.of(effects)));
    assertThat(outbox.await(Duration.ofSeconds(20))).isTrue();
    List<Event> events = new ArrayList<>();
    while (mailbox.depth() > 0) {
      events.add(mailbox.next().orElseThrow());
    }
    return events;
  }

  /// The state with all promised that is to be started; pods that were not seen yet are gated.
  static State promised(State state, Effect... effects) {
    var cluster = state.cluster();
    for (Effect effect : effects) {
      if (effect instanceof Effect.StartMember(GangId gang, MemberId pod, NodeId node)) {
        if (!cluster.gang(gang).members().contains(pod)) {
          Member gated = member(pod, gang, new MemberState.Held(false));
          cluster = cluster.apply(new Event.MemberSeen(NOW, gated));
        }
        Reservation reservation = Reservation.open(gang, NOW, NOW.plusSeconds(120));
        cluster = cluster.with(reservation.with(Promise.keep(pod, node, NOW)));
      }
    }
    return effects.length == 0 ? state : state.with(cluster);
  }

  public static Effect.StartMember start() {
    return new Effect.StartMember(GANG, POD, NODE);
  }

  static Effect.WriteReservation write(GangId gang) {
    Reservation reservation =
        Reservation.open(gang, NOW, NOW.plusSeconds(120)).with(Promise.keep(POD, NODE, NOW));
    return new Effect.WriteReservation(gang, reservation);
  }

  static Effect.Publish publish(GangId gang, GangPhase phase, String reason) {
    var status = new GangStatus(phase, 2, 2, 1, 0, 0, reason, "Needs 16 GPUs.");
    return new Effect.Publish(gang, Optional.empty(), status);
  }
}
