package dev.muster.core.kit;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.node.Node;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/// The objects of a [FaultyWorld] as the API server holds them. Every change becomes a fact to
/// deliver.
final class FaultyObjects {
  static final Taint TAINT = new Taint("dedicated", "", Taint.Effect.NO_SCHEDULE);

  private final Random random;
  private final FaultyDelivery news;
  private Instant now = Scene.START;
  private final TreeMap<NodeId, Node> nodes = new TreeMap<>();
  private final List<Node> lost = new ArrayList<>();
  private final TreeMap<GangId, GangSpec> groups = new TreeMap<>();
  private final TreeMap<MemberId, Member> pods = new TreeMap<>();
  private final TreeMap<MemberId, Event.UnmanagedPodSeen> unmanagedPods = new TreeMap<>();
  private final Set<GangId> excused = new HashSet<>();

  FaultyObjects(Random random, FaultyDelivery news) {
    this.random = random;
    this.news = news;
    int[] gpus = {4, 4, 8, 4, 4, 4, 8};
    for (int i = 0; i < gpus.length; i++) {
      var labels =
          Map.of("block", "b" + i / 4, "rack", "r" + i / 2, "pool", i % 3 == 0 ? "b" : "a");
      Node node = Scene.node("n" + (i + 1), labels, gpus[i], i == 4 ? "P4" : "H100", false);
      Resources cores = Resources.of("cpu", random.nextInt(3) == 0 ? 94_000 : 0);
      seen(with(node, labels, gpus[i], node.allocatable().minus(cores)));
    }
  }

  Instant now() {
    return now;
  }

  void pass(Instant time) {
    now = time;
  }

  List<Member> pods() {
    return List.copyOf(pods.values());
  }

  List<GangSpec> groups() {
    return List.copyOf(groups.values());
  }

  Optional<GangSpec> group(GangId gang) {
    return Optional.ofNullable(groups.get(gang));
  }

  Optional<Member> pod(MemberId pod) {
    return Optional.ofNullable(pods.get(pod));
  }

  List<Member> members(GangId gang) {
    return pods.values().stream().filter(pod -> pod.gang().equals(gang)).toList();
  }

  boolean isExcused(GangId gang) {
    return excused.contains(gang);
  }

  /// All objects as a first listing tells them. A gang that is half bound without a record looks
  /// like one that ran whole and lost members, which is left to run: the late binding after a
  /// release, and then the kill, is the one way to it.
  List<Event> listing() {
    groups.values().stream()
        .filter(spec -> spec.recorded().isEmpty())
        .filter(spec -> members(spec.id()).stream().anyMatch(Member::isBound))
        .forEach(spec -> excused.add(spec.id()));
    List<Event> all = new ArrayList<>();
    groups.values().forEach(spec -> all.add(new Event.GangSeen(now, spec)));
    nodes.values().forEach(node -> all.add(new Event.NodeSeen(now, node)));
    pods.values().forEach(pod -> all.add(new Event.MemberSeen(now, pod)));
    all.addAll(unmanagedPods.values());
    return all;
  }

  // ---- Gangs ----

  Optional<GangSpec> any() {
    return groups.isEmpty()
        ? Optional.empty()
        : Optional.of(groups().get(random.nextInt(groups.size())));
  }

  void arrive(GangDraft draft) {
    declare(draft.spec());
    draft.members().forEach(this::put);
  }

  void declare(GangSpec spec) {
    groups.put(spec.id(), spec);
    news.add(new Event.GangSeen(now, spec));
  }

  void put(Member pod) {
    pods.put(pod.id(), pod);
    news.add(new Event.MemberSeen(now, pod));
  }

  private void remove(Member pod) {
    pods.remove(pod.id());
    news.add(new Event.MemberGone(now, pod.gang(), pod.id()));
  }

  void end(GangSpec gang) {
    for (Member pod : members(gang.id())) {
      put(pod.as(new MemberState.Ended(pod.isBound())));
    }
    excused.add(gang.id());
    if (random.nextInt(4) > 0) {
      members(gang.id()).forEach(this::remove);
      groups.remove(gang.id());
      news.add(new Event.GangGone(now, gang.id()));
    }
  }

  /// Deletes the PodGroup and sometimes recreates it.
  void withdraw(GangSpec gang) {
    excused.add(gang.id());
    groups.remove(gang.id());
    news.add(new Event.GangGone(now, gang.id()));
    if (random.nextBoolean()) {
      declare(gang.recording(SortedTable.empty()));
    }
  }

  void respecify(GangSpec gang) {
    excused.add(gang.id());
    declare(gang.starting(1 + random.nextInt(gang.maxCount().orElse(4))));
  }

  /// A pod fails. Usually one of its name replaces it.
  void die(GangSpec gang) {
    List<Member> mates = members(gang.id());
    if (!mates.isEmpty()) {
      kill(mates.get(random.nextInt(mates.size())));
    }
  }

  /// The pod goes at once, or takes its time to leave.
  void kill(Member dead) {
    if (dead.isBound() && random.nextInt(3) == 0) {
      excuse(dead);
      put(dead.as(new MemberState.Leaving(dead.node())));
    } else {
      vanish(dead);
    }
  }

  /// Pods that were leaving are gone.
  void bury() {
    pods().stream().filter(pod -> pod.state() instanceof MemberState.Leaving).forEach(this::vanish);
  }

  private void excuse(Member dead) {
    long whole = members(dead.gang()).stream().filter(m -> m.isBound() || m.hasSucceeded()).count();
    if (group(dead.gang()).filter(spec -> whole >= spec.minCount()).isPresent()) {
      excused.add(dead.gang());
    }
  }

  private void vanish(Member dead) {
    excuse(dead);
    remove(dead);
    if (random.nextInt(4) > 0) {
      MemberId again = new MemberId("ml", dead.id().name(), dead.id().uid() + "x");
      put(
          new Member(
              again,
              dead.gang(),
              dead.rank(),
              dead.priority(),
              dead.request(),
              dead.wishes(),
              new MemberState.Held(random.nextInt(6) == 0),
              now));
    }
  }

  // ---- Nodes ----

  private NodeId anyNode() {
    return List.copyOf(nodes.keySet()).get(random.nextInt(nodes.size()));
  }

  void loseNode() {
    if (nodes.size() > 3) {
      NodeId id = anyNode();
      lost.add(nodes.remove(id));
      news.add(new Event.NodeGone(now, id));
      pods().stream()
          .filter(pod -> pod.node().filter(id::equals).isPresent())
          .forEach(this::vanish);
      if (unmanagedPods.remove(Scene.unmanagedPod(id.name())) != null) {
        news.add(new Event.UnmanagedPodGone(now, Scene.unmanagedPod(id.name())));
      }
    }
  }

  /// A node returns, sometimes in another rack.
  void returnNode() {
    if (!lost.isEmpty()) {
      Node back = lost.removeLast();
      TreeMap<String, String> labels = new TreeMap<>(back.labels());
      if (random.nextInt(3) == 0) {
        labels.put("rack", "elsewhere");
      }
      seen(with(back, labels, back.gpus(), back.allocatable()));
    }
  }

  /// A node says something else of itself; sometimes that it stands elsewhere.
  void resize() {
    Node node = List.copyOf(nodes.values()).get(random.nextInt(nodes.size()));
    int gpus = Math.clamp(node.gpus() + random.nextInt(5) - 2, 0, 8);
    Resources others = node.allocatable().minus(Resources.of("nvidia.com/gpu", node.gpus()));
    TreeMap<String, String> labels = new TreeMap<>(node.labels());
    switch (random.nextInt(16)) {
      case 0 -> labels.put("rack", "r" + random.nextInt(4));
      case 1 -> labels.remove("rack");
      case 2 -> labels.put("pool", random.nextBoolean() ? "a" : "b");
      default -> {}
    }
    seen(with(node, labels, gpus, others.plus(Resources.of("nvidia.com/gpu", gpus))));
  }

  private void seen(Node node) {
    nodes.put(node.id(), node);
    news.add(new Event.NodeSeen(now, node));
  }

  private Node with(Node node, Map<String, String> labels, int gpus, Resources allocatable) {
    return new Node(
        node.id(),
        new TreeMap<>(labels),
        allocatable,
        gpus,
        node.model(),
        random.nextInt(8) == 0 ? List.of(TAINT) : List.of(),
        random.nextInt(8) == 0,
        random.nextInt(12) == 0 ? List.of("NotReady") : List.of());
  }

  /// A stranger comes to a node, or the one that is there leaves it.
  void toggleUnmanagedPod() {
    NodeId id = anyNode();
    MemberId pod = Scene.unmanagedPod(id.name());
    if (unmanagedPods.remove(pod) != null) {
      news.add(new Event.UnmanagedPodGone(now, pod));
    } else {
      int gpus = 1 + random.nextInt(3);
      var seen =
          new Event.UnmanagedPodSeen(now, pod, id, Resources.of("nvidia.com/gpu", gpus), gpus);
      if (hasRoom(id, seen.resources())) {
        unmanagedPods.put(pod, seen);
        news.add(seen);
      }
    }
  }

  /// Whether the node truly has so much left: what kube-scheduler goes by. Of what the pod does not
  /// ask for it may have too little.
  boolean hasRoom(NodeId id, Resources asked) {
    Resources taken = asked;
    for (Member pod : pods.values()) {
      taken =
          pod.node().filter(id::equals).isPresent() ? taken.plus(pod.request().resources()) : taken;
    }
    Event.UnmanagedPodSeen stranger = unmanagedPods.get(Scene.unmanagedPod(id.name()));
    Resources all = stranger == null ? taken : taken.plus(stranger.resources());
    return Optional.ofNullable(nodes.get(id))
        .map(Node::allocatable)
        .filter(has -> asked.asMap().keySet().stream().allMatch(r -> all.get(r) <= has.get(r)))
        .isPresent();
  }
}
