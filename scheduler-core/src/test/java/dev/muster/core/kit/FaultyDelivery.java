package dev.muster.core.kit;

import dev.muster.core.cluster.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/// Facts that have happened and that the engine has not received. Facts of one object stay in
/// order, as in a watch. Other facts may overtake each other. A fact may be dropped once a newer
/// one of its object exists, and outcomes may be lost. Facts of one gang may arrive all at once.
final class FaultyDelivery {
  private final Random random;
  private final TreeMap<String, ArrayDeque<Event>> untold = new TreeMap<>();
  private int outcomes;
  private boolean calm;

  FaultyDelivery(Random random) {
    this.random = random;
  }

  /// From now on nothing gets lost.
  void calm() {
    calm = true;
  }

  void add(Event event) {
    String key = key(event);
    int luck = random.nextInt(12);
    if (luck == 0 && !calm && isOutcome(event)) {
      return; // lost
    }
    ArrayDeque<Event> line = untold.computeIfAbsent(key, _ -> new ArrayDeque<>());
    if (luck < 2 && line.size() > 1 && pod(line.getLast()).equals(pod(event))) {
      line.removeLast(); // passed over
    }
    line.add(event);
    if (luck > 9) {
      line.add(event); // told twice
    }
  }

  /// The next to tell: the oldest of some object, and at times all that is known of its gang.
  Optional<Event> next() {
    if (untold.isEmpty()) {
      return Optional.empty();
    }
    List<String> keys = new ArrayList<>(untold.keySet());
    String key = keys.get(random.nextInt(keys.size()));
    Optional<Event> next =
        Optional.ofNullable(untold.get(key))
            .map(ArrayDeque::remove)
            .map(event ->
                event instanceof Event.GangFact fact && random.nextInt(3) == 0
                    ? changed(fact)
                    : event);
    untold.values().removeIf(ArrayDeque::isEmpty);
    return next;
  }

  private Event changed(Event.GangFact first) {
    List<Event.GangFact> facts = new ArrayList<>(List.of(first));
    for (ArrayDeque<Event> line : untold.values()) {
      while (line.peek() instanceof Event.GangFact fact && fact.gang().equals(first.gang())) {
        facts.add(fact);
        line.remove();
      }
    }
    return new Event.GangChanged(first.at(), first.gang(), facts);
  }

  /// Drops facts on their way to a killed process.
  void clear() {
    untold.clear();
  }

  /// Returns the pod of the event, if any. The end of a pod is not replaced by a fact about another
  /// pod of its name.
  private static Optional<String> pod(Event event) {
    return switch (event) {
      case Event.MemberSeen(_, var member) -> Optional.of(member.id().uid());
      case Event.MemberGone(_, _, var member) -> Optional.of(member.uid());
      case Event.UnmanagedPodSeen(_, var pod, _, _, _) -> Optional.of(pod.uid());
      case Event.UnmanagedPodGone(_, var pod) -> Optional.of(pod.uid());
      case Event.NodeSeen _,
          Event.NodeGone _,
          Event.GangSeen _,
          Event.GangGone _,
          Event.DiscrepanciesSeen _,
          Event.GangChanged _,
          Event.Outcome _,
          Event.PolicyChanged _,
          Event.BudgetsSpent _,
          Event.Synced _,
          Event.Tick _ ->
          Optional.empty();
    };
  }

  private static boolean isOutcome(Event event) {
    return event instanceof Event.Outcome;
  }

  private String key(Event event) {
    return switch (event) {
      case Event.NodeSeen(_, var node) -> "node " + node.id();
      case Event.NodeGone(_, var node) -> "node " + node;
      case Event.GangSeen(_, var spec) -> "gang " + spec.id();
      case Event.GangGone(_, var gang) -> "gang " + gang;
      case Event.DiscrepanciesSeen(_, var gang, _) -> "discrepancies " + gang;
      case Event.GangChanged(_, var gang, _) -> "gang " + gang;
      case Event.MemberSeen(_, var member) -> "pod " + member.id();
      case Event.MemberGone(_, _, var member) -> "pod " + member;
      case Event.UnmanagedPodSeen(_, var pod, _, _, _) -> "pod " + pod;
      case Event.UnmanagedPodGone(_, var pod) -> "pod " + pod;
      case Event.Outcome _,
          Event.PolicyChanged _,
          Event.BudgetsSpent _,
          Event.Synced _,
          Event.Tick _ ->
          "outcome " + outcomes++;
    };
  }
}
