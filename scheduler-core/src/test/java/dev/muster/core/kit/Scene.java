package dev.muster.core.kit;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.engine.Engine;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberReport;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A drawn cluster and a sequence of events for the engine. The world performs every effect at once
/// unless it is silent.
///
/// ```
/// block-1/rack-1: n1[########] n2[####....]    # = in use by a stranger, . = free
/// block-1/rack-2: n3:P100[....] n4[........]!  ! = cordoned
/// ```
public final class Scene {
  /// When every story starts.
  public static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

  /// Blocks of racks, by the labels `block` and `rack`.
  public static final Topology RACKS =
      new Topology(List.of(new TopologyLevel("block", "block"), new TopologyLevel("rack", "rack")));

  private static final Pattern NODE =
      Pattern.compile("(\\w[\\w-]*)(?::([\\w-]+))?\\[([#.]*)\\](!?)");

  private Engine engine;
  private State state;
  private Instant now = START;
  private boolean silent;
  private final List<Event> told = new ArrayList<>();
  private final List<Effect> asked = new ArrayList<>();
  private final List<Decision> decisions = new ArrayList<>();

  private Scene(Policies policies, Topology topology) {
    this.engine = new Engine(policies);
    this.state = State.empty(topology, policies);
  }

  /// The drawn cluster, all seen.
  public static Scene of(String drawing) {
    return of(drawing, Policies.DEFAULT);
  }

  public static Scene of(String drawing, Policies policies) {
    Scene scene = unsynced(drawing, policies);
    return scene.then(new Event.Synced(scene.now));
  }

  /// The drawn cluster, fully seen and joined as the topology states. Blocks and racks have the
  /// labels of [#RACKS].
  public static Scene on(Topology topology, String drawing) {
    Scene scene = new Scene(Policies.DEFAULT, topology).drawn(drawing);
    return scene.then(new Event.Synced(scene.now));
  }

  /// The drawn cluster before the end of the first listing.
  public static Scene unsynced(String drawing, Policies policies) {
    return new Scene(policies, RACKS).drawn(drawing);
  }

  private Scene drawn(String drawing) {
    for (String line : drawing.lines().filter(l -> l.contains(":")).toList()) {
      String path = line.substring(0, line.indexOf(": ")).strip();
      Matcher matcher = NODE.matcher(line.substring(line.indexOf(": ")));
      while (matcher.find()) {
        draw(path, matcher);
      }
    }
    return this;
  }

  private void draw(String path, Matcher drawn) {
    String name = drawn.group(1);
    String gpus = drawn.group(3);
    Map<String, String> labels = new TreeMap<>();
    String[] steps = path.split("/", -1);
    if (!steps[0].equals("-")) {
      labels.put("block", steps[0]);
    }
    if (steps.length > 1) {
      labels.put("rack", steps[1]);
    }
    String model = Optional.ofNullable(drawn.group(2)).orElse("H100");
    then(
        new Event.NodeSeen(
            now, node(name, labels, gpus.length(), model, drawn.group(4).equals("!"))));
    int used = (int) gpus.chars().filter(c -> c == '#').count();
    if (used > 0) {
      then(
          new Event.UnmanagedPodSeen(
              now,
              unmanagedPod(name),
              new NodeId(name),
              Resources.of("nvidia.com/gpu", used),
              used));
    }
  }

  /// A node as scenes draw it: 100 cores and 1,000 GiB, so that GPUs are what is scarce.
  public static Node node(
      String name, Map<String, String> labels, int gpus, String model, boolean cordoned) {
    TreeMap<String, String> all = new TreeMap<>(labels);
    all.put("nvidia.com/gpu.product", model);
    Resources allocatable =
        Resources.of(
            Map.of(
                "nvidia.com/gpu",
                (long) gpus,
                "cpu",
                100_000L,
                "memory",
                1000L << 30,
                "pods",
                110L));
    return new Node(
        new NodeId(name),
        all,
        allocatable,
        gpus,
        new GpuModel(model, GpuModel.Kind.WHOLE, 0, ""),
        List.of(),
        cordoned,
        List.of());
  }

  /// The stranger that uses a node's GPUs in the drawing.
  public static MemberId unmanagedPod(String node) {
    return new MemberId("other", "stranger-" + node, "stranger-" + node);
  }

  // ---- What happens ----

  /// The event happens, and with it all that the world answers to what was asked.
  public Scene then(Event event) {
    ArrayDeque<Event> events = new ArrayDeque<>(List.of(event));
    while (!events.isEmpty()) {
      told.add(events.element());
      Step step = engine.step(state, events.remove());
      state = step.after();
      decisions.addAll(step.decisions());
      asked.addAll(step.effects());
      Invariants.check(state.cluster());
      if (!silent) {
        step.effects().forEach(effect -> answer(effect, events));
      }
    }
    return this;
  }

  private void answer(Effect effect, ArrayDeque<Event> events) {
    switch (effect) {
      case Effect.WriteReservation(GangId gang, var reservation) ->
          events.add(new Event.ReservationWritten(now, gang, reservation.edition()));
      case Effect.StartMember(GangId gang, MemberId id, NodeId node) -> {
        Member member = cluster().gang(gang).members().get(id).orElseThrow();
        events.add(
            new Event.MemberSeen(
                now, member.as(new MemberState.Waiting(Optional.of(node), false))));
        events.add(new Event.MemberSeen(now, member.as(new MemberState.Bound(node, now))));
      }
      case Effect.Evict(GangId gang, MemberId id, _, _, _) ->
          events.add(new Event.MemberGone(now, gang, id));
      case Effect.RecordVictims(GangId gang, var victims) -> {
        if (!victims.isEmpty()) {
          events.add(new Event.VictimsRecorded(now, gang));
        }
      }
      case Effect.TellVictim(GangId gang, _) -> events.add(new Event.VictimTold(now, gang));
      case Effect.ClearReservation _, Effect.Publish _, Effect.Reprieve _, Effect.Report _ -> {}
    }
  }

  /// From now on with other policies.
  public Scene under(Policies policies) {
    engine = new Engine(policies);
    state = state.under(policies);
    return this;
  }

  /// From now on the world answers nothing by itself.
  public Scene silent() {
    silent = true;
    return this;
  }

  /// The PodGroup and then its pods are seen.
  public Scene arrives(GangDraft gang) {
    then(new Event.GangSeen(now, gang.spec()));
    gang.members().forEach(member -> then(new Event.MemberSeen(now, member)));
    return this;
  }

  /// The member is seen in another state.
  public Scene becomes(Member member, MemberState other) {
    return then(new Event.MemberSeen(now, member.as(other)));
  }

  /// The member is seen to say this of itself.
  public Scene reports(Member member, MemberReport said) {
    return then(
        new Event.MemberSeen(
            now,
            new Member(
                member.id(),
                member.gang(),
                member.rank(),
                member.priority(),
                member.request(),
                member.wishes(),
                member.state(),
                member.createdAt(),
                said)));
  }

  /// All bound members of the gang end well, one by one, and are gone.
  public Scene ends(String gang) {
    for (Member member : gang(gang).members().values()) {
      becomes(member, new MemberState.Ended(true));
    }
    for (Member member : gang(gang).members().values()) {
      then(new Event.MemberGone(now, member.gang(), member.id()));
    }
    return this;
  }

  /// Time passes, second by second as the live server's ticks do.
  public Scene after(Duration duration) {
    for (long second = 0; second < duration.toSeconds(); second++) {
      now = now.plusSeconds(1);
      then(new Event.Tick(now));
    }
    return this;
  }

  // ---- What came of it ----

  public Instant now() {
    return now;
  }

  public State state() {
    return state;
  }

  public Cluster cluster() {
    return state.cluster();
  }

  public Gang gang(String name) {
    return cluster().gang(GangDraft.gang(name).id());
  }

  public GangPhase phase(String name) {
    return cluster().phase(GangDraft.gang(name).id());
  }

  /// The nodes of the gang's bound members, in rank order, with repeats.
  public List<String> nodesOf(String name) {
    return gang(name).members().values().stream()
        .filter(Member::isBound)
        .sorted(Member.BY_RANK)
        .map(member -> member.node().orElseThrow().name())
        .toList();
  }

  /// The racks of the gang's bound members, once each.
  public SortedSet<String> racksOf(String name) {
    TreeSet<String> racks = new TreeSet<>();
    for (String node : nodesOf(name)) {
      racks.add(state(node).path().values().getLast());
    }
    return racks;
  }

  public NodeState state(String node) {
    return cluster().nodes().get(new NodeId(node)).orElseThrow();
  }

  /// Why the gang waits.
  public Optional<Veto> whyNot(String name) {
    return state.why(GangDraft.gang(name).id()).flatMap(Explanation::main);
  }

  /// All that happened so far, the cluster's nodes included.
  public List<Event> told() {
    return List.copyOf(told);
  }

  /// All that was asked of the world so far.
  public List<Effect> asked() {
    return List.copyOf(asked);
  }

  /// Returns the names of gangs with a requested effect of this kind, in order of the first
  /// request.
  public List<String> askedOf(Class<? extends Effect> kind) {
    return asked.stream()
        .filter(kind::isInstance)
        .map(effect -> effect.gang().name())
        .distinct()
        .toList();
  }

  /// All decisions so far.
  public List<Decision> decisions() {
    return List.copyOf(decisions);
  }
}
