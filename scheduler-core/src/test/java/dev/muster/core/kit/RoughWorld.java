package dev.muster.core.kit;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Node;
import dev.muster.core.cluster.Promise;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.engine.Effect;
import dev.muster.core.engine.Engine;
import dev.muster.core.engine.Policies;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/// A world that answers late, in part or not at all: effects get lost or fail, kube-scheduler
/// refuses pods or binds them late, facts are told late and twice, nodes shrink and vanish,
/// PodGroups are deleted and changed, and the scheduler itself is killed and started anew.
///
/// What is true is kept here; the engine knows of it only what it was told. Equal seeds give equal
/// lives.
public final class RoughWorld {
  private final Random random;
  private final Engine engine = new Engine(Policies.DEFAULT);
  private State state = State.empty(Scene.RACKS);
  private Instant now = Scene.START;
  private boolean calm;
  private int drafts;

  private final TreeMap<NodeId, Node> nodes = new TreeMap<>();
  private final List<Node> lost = new ArrayList<>();
  private final TreeMap<GangId, GangSpec> groups = new TreeMap<>();
  private final TreeMap<MemberId, Member> pods = new TreeMap<>();
  private final TreeMap<MemberId, Event.StrangerSeen> strangers = new TreeMap<>();
  private final ArrayDeque<Event> untold = new ArrayDeque<>();
  private final Set<GangId> excused = new HashSet<>();
  private final List<Event> told = new ArrayList<>();

  /// A world of a few nodes, all seen.
  public RoughWorld(int seed) {
    random = new Random(seed);
    int[] gpus = {4, 4, 8, 4, 4, 4};
    for (int i = 0; i < gpus.length; i++) {
      var labels = Map.of("block", "b" + i / 4, "rack", "r" + i / 2);
      Node node = Scene.node("n" + (i + 1), labels, gpus[i], i == 4 ? "P4" : "H100", false);
      nodes.put(node.id(), node);
    }
    restart();
  }

  public State state() {
    return state;
  }

  public Cluster cluster() {
    return state.cluster();
  }

  /// All that the engine was told since it was last started.
  public List<Event> told() {
    return List.copyOf(told);
  }

  /// The pods as they truly stand.
  public List<Member> pods() {
    return List.copyOf(pods.values());
  }

  /// The declared gangs.
  public List<GangSpec> groups() {
    return List.copyOf(groups.values());
  }

  /// Whether members may be missing for another reason than a start that failed.
  public boolean isExcused(GangId gang) {
    return excused.contains(gang);
  }

  // ---- What happens ----

  /// Something happens, and some of what is due is told.
  public void turn() {
    switch (random.nextInt(18)) {
      case 0, 1, 2 -> arrive();
      case 3 -> any().ifPresent(this::end);
      case 4 -> any().ifPresent(this::die);
      case 5 -> loseNode();
      case 6 -> returnNode();
      case 7 -> stranger();
      case 8 -> shrink();
      case 9 -> any().ifPresent(this::withdraw);
      case 10 -> any().ifPresent(this::respecify);
      case 11 -> restart();
      case 12, 13 -> schedule();
      default -> pass(Duration.ofSeconds(1 + random.nextInt(20)));
    }
    tell(random.nextInt(6));
  }

  /// From now on everything works, for so long.
  public void calm(Duration duration) {
    calm = true;
    pass(duration);
  }

  private void pass(Duration duration) {
    for (long second = 0; second < duration.toSeconds(); second++) {
      now = now.plusSeconds(1);
      step(new Event.Tick(now));
      if (calm || random.nextInt(3) == 0) {
        tell(Integer.MAX_VALUE);
        schedule();
      }
    }
  }

  private Optional<GangSpec> any() {
    return groups.isEmpty()
        ? Optional.empty()
        : Optional.of(List.copyOf(groups.values()).get(random.nextInt(groups.size())));
  }

  private void arrive() {
    GangDraft draft =
        GangDraft.gang("g" + drafts++)
            .of(1 + random.nextInt(4), 1 + random.nextInt(5))
            .priority(random.nextInt(3))
            .createdAt(now);
    draft = random.nextInt(4) == 0 ? draft.within(random.nextBoolean() ? "rack" : "node") : draft;
    draft = random.nextInt(4) == 0 ? draft.minCount(1) : draft;
    declare(draft.spec());
    draft.members().forEach(this::put);
  }

  private void declare(GangSpec spec) {
    groups.put(spec.id(), spec);
    untold.add(new Event.GangSeen(now, spec));
  }

  private void put(Member pod) {
    pods.put(pod.id(), pod);
    untold.add(new Event.MemberSeen(now, pod));
    if (random.nextInt(5) == 0) {
      untold.add(new Event.MemberSeen(now, pod)); // told twice
    }
  }

  private void remove(Member pod) {
    pods.remove(pod.id());
    untold.add(new Event.MemberGone(now, pod.gang(), pod.id()));
  }

  private List<Member> members(GangId gang) {
    return pods.values().stream().filter(pod -> pod.gang().equals(gang)).toList();
  }

  private void end(GangSpec gang) {
    for (Member pod : members(gang.id())) {
      put(pod.as(new MemberState.Ended(pod.isBound())));
    }
    excused.add(gang.id());
    if (random.nextBoolean()) {
      members(gang.id()).forEach(this::remove);
      groups.remove(gang.id());
      untold.add(new Event.GangGone(now, gang.id()));
    }
  }

  /// A pod dies; mostly it is replaced by one of the same name.
  private void die(GangSpec gang) {
    List<Member> mates = members(gang.id());
    if (!mates.isEmpty()) {
      kill(mates.get(random.nextInt(mates.size())));
    }
  }

  private void kill(Member dead) {
    GangId gang = dead.gang();
    long whole = members(gang).stream().filter(m -> m.isBound() || m.hasSucceeded()).count();
    boolean wasWhole = groups.containsKey(gang) && whole >= groups.get(gang).minCount();
    if (wasWhole) {
      excused.add(gang);
    }
    remove(dead);
    if (random.nextInt(3) > 0) {
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

  private void loseNode() {
    if (nodes.size() > 3) {
      NodeId id = List.copyOf(nodes.keySet()).get(random.nextInt(nodes.size()));
      lost.add(nodes.remove(id));
      untold.add(new Event.NodeGone(now, id));
      List.copyOf(pods.values()).stream()
          .filter(pod -> pod.node().filter(id::equals).isPresent())
          .forEach(this::kill);
      if (strangers.remove(Scene.stranger(id.name())) != null) {
        untold.add(new Event.StrangerGone(now, Scene.stranger(id.name())));
      }
    }
  }

  /// A node returns, sometimes in another rack.
  private void returnNode() {
    if (!lost.isEmpty()) {
      Node back = lost.removeLast();
      TreeMap<String, String> labels = new TreeMap<>(back.labels());
      labels.put("rack", random.nextInt(3) == 0 ? "elsewhere" : labels.get("rack"));
      seen(with(back, labels, back.gpus(), back.allocatable()));
    }
  }

  private void shrink() {
    Node node = List.copyOf(nodes.values()).get(random.nextInt(nodes.size()));
    int gpus = Math.max(0, node.gpus() + random.nextInt(5) - 2);
    Resources others = node.allocatable().minus(Resources.of("nvidia.com/gpu", node.gpus()));
    seen(with(node, node.labels(), gpus, others.plus(Resources.of("nvidia.com/gpu", gpus))));
  }

  private void seen(Node node) {
    nodes.put(node.id(), node);
    untold.add(new Event.NodeSeen(now, node));
  }

  private Node with(Node node, Map<String, String> labels, int gpus, Resources allocatable) {
    return new Node(
        node.id(),
        new TreeMap<>(labels),
        allocatable,
        gpus,
        node.model(),
        node.taints(),
        random.nextInt(8) == 0,
        node.faults());
  }

  private void stranger() {
    NodeId id = List.copyOf(nodes.keySet()).get(random.nextInt(nodes.size()));
    MemberId pod = Scene.stranger(id.name());
    if (strangers.remove(pod) != null) {
      untold.add(new Event.StrangerGone(now, pod));
    } else {
      var seen = new Event.StrangerSeen(now, pod, id, Resources.of("nvidia.com/gpu", 1), 1);
      strangers.put(pod, seen);
      untold.add(seen);
    }
  }

  /// The PodGroup is deleted; sometimes it is created anew.
  private void withdraw(GangSpec gang) {
    excused.add(gang.id());
    groups.remove(gang.id());
    untold.add(new Event.GangGone(now, gang.id()));
    if (random.nextBoolean()) {
      declare(gang.recording(SortedTable.empty()));
    }
  }

  private void respecify(GangSpec gang) {
    excused.add(gang.id());
    declare(gang.starting(1 + random.nextInt(4)));
  }

  // ---- What the engine hears ----

  private void tell(int most) {
    for (int i = 0; i < most && !untold.isEmpty(); i++) {
      step(untold.remove());
    }
  }

  private void step(Event event) {
    told.add(event);
    Step step = engine.step(state, event);
    state = step.after();
    Invariants.check(state.cluster());
    step.effects().forEach(this::perform);
  }

  /// The scheduler is killed; a new one is told what is true, in the order of a listing. A gang
  /// that is half bound without a record looks like one that ran whole and lost members, which is
  /// left to run: the late binding after a release, and then the kill, is the one way to it.
  private void restart() {
    groups.values().stream()
        .filter(spec -> spec.recorded().isEmpty())
        .filter(spec -> members(spec.id()).stream().anyMatch(Member::isBound))
        .forEach(spec -> excused.add(spec.id()));
    state = State.empty(Scene.RACKS);
    told.clear();
    untold.clear();
    groups.values().forEach(spec -> step(new Event.GangSeen(now, spec)));
    nodes.values().forEach(node -> step(new Event.NodeSeen(now, node)));
    pods.values().forEach(pod -> step(new Event.MemberSeen(now, pod)));
    strangers.values().forEach(this::step);
    step(new Event.Synced(now));
  }

  // ---- What becomes of what it asks ----

  private void perform(Effect effect) {
    int luck = calm ? 9 : random.nextInt(10);
    if (luck == 0) {
      return; // lost
    }
    boolean works = luck > 2;
    switch (effect) {
      case Effect.WriteReservation(GangId gang, var reservation) -> {
        Optional<GangSpec> group = Optional.ofNullable(groups.get(gang)).filter(_ -> works);
        boolean written = group.isPresent();
        SortedTable<MemberId, NodeId> record = SortedTable.empty();
        for (Promise promise : reservation.promises()) {
          record = record.with(promise.member(), promise.node());
        }
        if (written) {
          declare(group.get().recording(record));
        }
        untold.add(
            written
                ? new Event.ReservationWritten(now, gang, reservation.edition())
                : new Event.ReservationNotWritten(now, gang, "no"));
      }
      case Effect.StartMember(GangId gang, MemberId id, NodeId node) -> {
        Optional<Member> pod = Optional.ofNullable(pods.get(id)).filter(Member::wantsNode);
        if (works && pod.isPresent()) {
          put(pod.get().as(new MemberState.Waiting(Optional.of(node), false)));
          untold.add(new Event.MemberStarted(now, gang, id, node));
        } else {
          untold.add(new Event.MemberNotStarted(now, gang, id, node, "no"));
        }
      }
      case Effect.ClearReservation(GangId gang) -> {
        if (works) {
          members(gang).stream()
              .filter(pod -> pod.state() instanceof MemberState.Waiting)
              .forEach(pod -> put(pod.as(new MemberState.Waiting(Optional.empty(), true))));
          Optional.ofNullable(groups.get(gang))
              .ifPresent(spec -> declare(spec.recording(SortedTable.empty())));
        }
      }
      case Effect.Evict(_, MemberId id, _, _, _) -> {
        if (works && pods.containsKey(id)) {
          kill(pods.get(id));
        }
      }
      case Effect.Publish _, Effect.RecordVictims _, Effect.TellVictim _, Effect.Reprieve _ -> {}
    }
  }

  /// kube-scheduler tries the pods that are nominated, asking the engine's newest image as
  /// `/filter` does.
  private void schedule() {
    for (Member pod : List.copyOf(pods.values())) {
      if (pod.state() instanceof MemberState.Waiting(Optional<NodeId> nominated, _)
          && nominated.isPresent()) {
        boolean passes =
            cluster()
                .reservations()
                .get(pod.gang())
                .flatMap(r -> r.open(pod.id()))
                .filter(promise -> promise.node().equals(nominated.get()))
                .isPresent();
        boolean late = !calm && random.nextInt(12) == 0; // it had asked before
        if (nodes.containsKey(nominated.get())
            && (passes || late)
            && (calm || random.nextBoolean())) {
          put(pod.as(new MemberState.Bound(nominated.get(), now)));
        } else if (!calm && random.nextInt(3) == 0) {
          put(pod.as(new MemberState.Waiting(Optional.empty(), true)));
        }
      }
    }
  }
}
