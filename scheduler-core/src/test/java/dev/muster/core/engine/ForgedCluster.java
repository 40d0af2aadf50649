package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangPast.RunEnd;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.PreemptionRecord.Notice;
import dev.muster.core.gang.Victim;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Invariants;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/// A small cluster that is seen after a restart, with random forged records on all objects.
///
/// Six gangs of two queues have records of promised nodes, victims, notices, times and pasts. The
/// checks know the nodes, the limits of the queues, and the priorities. They read the records only
/// to tell which preemptions both objects confirm.
final class ForgedCluster {
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final int GPUS = 4;
  private static final int GANGS = 6;

  private final Random random;
  private final boolean preempts;
  private final Map<String, Integer> maximum = new TreeMap<>();
  private final Map<String, Integer> free = new TreeMap<>();
  private final List<GangDraft> drafts = new ArrayList<>();
  private final Map<GangId, GangSpec> specs = new TreeMap<>();
  private final Map<GangId, Integer> runAtFirst = new TreeMap<>();
  private final Scene scene;

  ForgedCluster(long seed) {
    random = new Random(seed);
    preempts = random.nextBoolean();
    List<Queue> queues = new ArrayList<>();
    for (String name : List.of("p", "q")) {
      maximum.put(name, 1 + random.nextInt(12));
      queues.add(Queue.of(name).most(Quota.of(maximum.get(name))));
    }
    Policies limits = Policies.of(Queues.of(queues), Duration.ofMinutes(2), Optional.empty());
    Policies policies = preempts ? limits.with(new PriorityPreemptionPolicy(Mode.ENFORCE)) : limits;
    scene = Scene.unsynced("b/r1: n1[....] n2[....]\nb/r2: n3[....]", policies);
    NODES.forEach(node -> free.put(node, GPUS));
    for (int i = 0; i < GANGS; i++) {
      drafts.add(draft("g" + i));
    }
    for (GangDraft draft : drafts) {
      specs.put(draft.id(), forged(draft));
    }
    drafts.forEach(this::seen);
  }

  private GangDraft draft(String name) {
    int members = 1 + random.nextInt(3);
    GangDraft draft =
        gang(name)
            .of(members, 1 + random.nextInt(3))
            .minCount(1 + random.nextInt(members))
            .priority(random.nextInt(4))
            .queue(any(List.of("p", "q")));
    return random.nextInt(3) == 0 ? draft.within("rack") : draft;
  }

  // ---- Forged records ----

  private GangSpec forged(GangDraft draft) {
    SortedTable<MemberId, NodeId> nodes = SortedTable.empty();
    for (GangDraft other : drafts) {
      for (Member member : other.members()) {
        boolean named = random.nextInt(other == draft ? 2 : 10) == 0;
        nodes =
            named
                ? nodes.with(member.id(), new NodeId(any(List.of("n1", "n2", "n3", "n9"))))
                : nodes;
      }
    }
    PreemptionRecord record = new PreemptionRecord(victims(), times(), notice());
    return draft.spec().recording(nodes).recording(record).recalling(past());
  }

  private SortedTable<GangId, Victim> victims() {
    SortedTable<GangId, Victim> victims = SortedTable.empty();
    for (GangDraft draft : drafts) {
      SortedKeys<MemberId> members = SortedKeys.empty();
      for (Member member : draft.members()) {
        members = random.nextInt(4) > 0 ? members.with(member.id()) : members;
      }
      Victim victim = new Victim(draft.id(), members, "forged", random.nextLong());
      victims = random.nextInt(3) == 0 ? victims.with(draft.id(), victim) : victims;
    }
    return victims;
  }

  private List<Instant> times() {
    Instant past = Scene.START.minusSeconds(1 + random.nextInt(4000));
    Instant future = Scene.START.plusSeconds(random.nextInt(4000));
    return any(List.of(List.of(), List.of(past), List.of(Scene.START), List.of(past, future)));
  }

  private Optional<Notice> notice() {
    Optional<Instant> deadline =
        any(List.of(Optional.empty(), Optional.of(Instant.MIN), Optional.of(Instant.MAX)));
    return random.nextInt(3) == 0
        ? Optional.empty()
        : Optional.of(new Notice(any(drafts).id(), deadline));
  }

  private Optional<GangPast> past() {
    Optional<Integer> ranWith =
        random.nextBoolean() ? Optional.empty() : Optional.of(1 + random.nextInt(9));
    Optional<Instant> eligible =
        any(List.of(Optional.empty(), Optional.of(Instant.MIN), Optional.of(Instant.MAX)));
    Optional<RunEnd> end =
        random.nextBoolean()
            ? Optional.empty()
            : Optional.of(new RunEnd(random.nextInt(3), random.nextInt(3)));
    Optional<Instant> evicted =
        any(List.of(Optional.empty(), Optional.of(Instant.MIN), Optional.of(Instant.MAX)));
    return Optional.of(new GangPast(ranWith, eligible, end, evicted));
  }

  private GangSpec spec(GangId gang) {
    return Objects.requireNonNull(specs.get(gang));
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  // ---- The restart ----

  /// The gang is seen. Every other gang runs as a whole, where its queue and the nodes permit it.
  private void seen(GangDraft draft) {
    GangSpec spec = spec(draft.id());
    scene.then(new Event.GangSeen(scene.now(), spec));
    Map<MemberId, String> nodes = random.nextBoolean() ? nodes(draft) : Map.of();
    for (Member member : draft.members()) {
      MemberState state =
          nodes.containsKey(member.id())
              ? new MemberState.Bound(new NodeId(nodes.get(member.id())), scene.now())
              : new MemberState.Held(false);
      scene.becomes(member, state);
    }
    runAtFirst.put(draft.id(), nodes.size());
  }

  /// Returns a node for each member; empty if the queue or the nodes permit too few of them.
  private Map<MemberId, String> nodes(GangDraft draft) {
    Map<MemberId, String> nodes = new TreeMap<>();
    int gpus = draft.members().getFirst().request().gpus();
    int used = gpus * draft.members().size() + inUse(draft.spec().queue());
    Map<String, Integer> left = new TreeMap<>(free);
    for (Member member : draft.members()) {
      NODES.stream()
          .filter(node -> left.getOrDefault(node, 0) >= gpus)
          .findFirst()
          .ifPresent(node -> {
            left.merge(node, -gpus, Integer::sum);
            nodes.put(member.id(), node);
          });
    }
    if (nodes.size() < draft.members().size()
        || used > maximum.getOrDefault(draft.spec().queue(), 0)) {
      return Map.of();
    }
    free.putAll(left);
    return nodes;
  }

  private int inUse(String queue) {
    int gpus = 0;
    for (Gang gang : scene.cluster().gangs()) {
      for (Member member :
          gang.queue().equals(queue) ? gang.members().values() : List.<Member>of()) {
        boolean promised = scene.cluster().promise(member).isPresent();
        gpus += member.node().isPresent() || promised ? member.request().gpus() : 0;
      }
    }
    return gpus;
  }

  // ---- The oracle ----

  private void checkLimits() {
    Invariants.checkNothingOversold(scene.cluster());
    maximum.forEach(
        (queue, most) -> assertThat(inUse(queue)).as("GPUs of " + queue).isLessThanOrEqualTo(most));
  }

  /// Gangs of which all members ran are stopped only for a gang of higher priority.
  private void checkEvictions() {
    int highest = drafts.stream().mapToInt(this::priorityOfWaiting).max().orElse(-1);
    for (Effect.Evict evict : evictions()) {
      assertThat(preempts).as("preempted without a policy: " + evict).isTrue();
      assertThat(evict.reason()).as("whole gang: " + evict).isEqualTo(Effect.PREEMPTED);
      assertThat(scene.cluster().gang(evict.gang()).spec()).isPresent();
      assertThat(priority(evict.gang())).as(evict.toString()).isLessThan(highest);
    }
  }

  private int priorityOfWaiting(GangDraft draft) {
    return runAtFirst.getOrDefault(draft.id(), 0) == 0 ? priority(draft.id()) : -1;
  }

  /// The first step continues only preemptions that both objects state, of pods that ran when
  /// notified.
  private void checkFirstStep() {
    for (Effect.Evict evict : evictions()) {
      PreemptionRecord said = spec(evict.gang()).preemption();
      GangId by = said.notice().orElseThrow().by();
      assertThat(spec(by).preemption().victims().contains(evict.gang())).isTrue();
      assertThat(priority(evict.gang())).isLessThan(priority(by));
      assertThat(said.stopped().isEmpty() || !said.stopped().getLast().isBefore(Scene.START))
          .as("an old notice: " + said)
          .isTrue();
    }
  }

  private int priority(GangId gang) {
    return drafts.stream()
        .filter(draft -> draft.id().equals(gang))
        .findFirst()
        .orElseThrow()
        .members()
        .getFirst()
        .priority();
  }

  private List<Effect.Evict> evictions() {
    return scene.asked().stream()
        .filter(Effect.Evict.class::isInstance)
        .map(Effect.Evict.class::cast)
        .toList();
  }

  private void checkWholeOrNothing() {
    for (GangDraft draft : drafts) {
      Gang gang = scene.cluster().gang(draft.id());
      assertThat(scene.cluster().reservations().contains(gang.id()))
          .as(gang.id() + " holds on")
          .isFalse();
      assertThat(gang.boundCount() == 0 || gang.boundCount() >= gang.minCount())
          .as("%s runs %d of %d", gang.id(), gang.boundCount(), gang.minCount())
          .isTrue();
    }
  }

  /// Checks the first step, the next minute, and the end of all that can follow.
  void check() {
    scene.then(new Event.Synced(scene.now()));
    checkLimits();
    checkFirstStep();
    for (int second = 0; second < 60; second++) {
      scene.after(Duration.ofSeconds(1));
      checkLimits();
    }
    scene.after(Duration.ofMinutes(4)); // longer than the time to bind
    checkEvictions();
    checkWholeOrNothing();
  }
}
