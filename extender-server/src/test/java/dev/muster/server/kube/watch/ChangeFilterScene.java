package dev.muster.server.kube.watch;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// A change filter, the pods it reads and the events it passes on.
abstract class ChangeFilterScene {
  static final PodCodec CODEC =
      new PodCodec(
          List.of("nvidia.com/gpu"),
          Set.of("default-scheduler"),
          _ -> new ReadResult.Good<>(Resources.NONE));

  final Mailbox mailbox = new Mailbox(100);
  final ChangeFilter facts = new ChangeFilter(mailbox::put, InstantSource.fixed(Instant.EPOCH));

  static PodFact pod(String uid, String group, String more) {
    Pod pod =
        Yaml.pod(
            """
            metadata: {namespace: ml, name: p, uid: %s, labels: {scheduling.x-k8s.io/pod-group: '%s'}}
            spec:
              schedulerName: default-scheduler
              containers: [{name: c, resources: {requests: {nvidia.com/gpu: "1"}}}]
              %s
            """
                .formatted(uid, group, more));
    if (pod.getStatus() == null && pod.getSpec().getNodeName() != null) {
      pod.setStatus(new PodStatusBuilder().withPhase("Running").build());
    }
    return CODEC.read(pod);
  }

  static PodFact volcano(String name, String created, String node) {
    Pod pod =
        Yaml.pod(
            """
            metadata:
              namespace: ml
              name: %s
              uid: u-%s
              creationTimestamp: "%s"
              annotations: {scheduling.k8s.io/group-name: v, scheduling.volcano.sh/group-min-member: "2"}
            spec: {schedulerName: default-scheduler, containers: [{name: c}]}
            status: {nominatedNodeName: "%s"}
            """
                .formatted(name, name, created, node));
    return CODEC.read(pod);
  }

  /// Returns the events since the last call, as words.
  String told() throws InterruptedException {
    List<Event> events = new ArrayList<>();
    while (mailbox.depth() > 0) {
      events.add(mailbox.next().orElseThrow());
    }
    return events.stream().map(ChangeFilterScene::word).collect(Collectors.joining(" "));
  }

  static String word(Event event) {
    return switch (event) {
      case Event.GangSeen(_, var spec) -> "+gang:" + spec.id().name();
      case Event.GangGone(_, var gang) -> "-gang:" + gang.name();
      case Event.DiscrepanciesSeen(_, var gang, var found) ->
          "!gang:"
              + gang.name()
              + found.declaration().map(words -> "(" + words + ")").orElse("")
              + found.schedulers()
              + found.invalidPod().map(words -> "(" + words + ")").orElse("");
      case Event.MemberSeen(_, var member) -> "+" + member.id().uid() + "@" + member.gang().name();
      case Event.MemberGone(_, var gang, var member) -> "-" + member.uid() + "@" + gang.name();
      case Event.GangChanged(_, _, var facts) ->
          facts.stream().map(ChangeFilterScene::word).collect(Collectors.joining(" "));
      case Event.UnmanagedPodSeen(_, var pod, var node, _, _) ->
          "+stranger:" + pod.uid() + "@" + node;
      case Event.UnmanagedPodGone(_, var pod) -> "-stranger:" + pod.uid();
      case Event.NodeSeen(_, var node) -> "+node:" + node.id();
      case Event.NodeGone(_, var node) -> "-node:" + node;
      case Event.Synced _,
          Event.Tick _,
          Event.PolicyChanged _,
          Event.BudgetsSpent _,
          Event.Outcome _ ->
          event.getClass().getSimpleName();
    };
  }
}
