package dev.muster.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.engine.QueueRuleModel.Party;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/// No chain of preemptions that the rules allow returns to its start.
///
/// All states of a small cluster are reached by every start and every preemption that the rules
/// allow, in any order. [QueueVictimOracleTest] compares the engine with these rules.
class PreemptionCycleTest {
  private final List<Integer> nodes = new ArrayList<>();

  /// Gangs of one pod each.
  private final List<Party> pods = new ArrayList<>();

  private final SortedMap<String, Integer> guarantees = new TreeMap<>();
  private final SortedMap<String, Integer> maxima = new TreeMap<>();

  @Property(tries = 600)
  void preemptions_form_no_cycle(@ForAll @LongRange(min = 0, max = 1_000_000) long seed) {
    draw(new Random(seed));
    assertThat(hasCycle()).as("%s %s %s %s", nodes, pods, guarantees, maxima).isFalse();
  }

  /// Three gangs, each of which would come before the next, if a gang that borrows could take what
  /// another queue is guaranteed.
  @Example
  void gang_that_borrows_takes_no_guarantee_of_the_queue_of_its_victim() {
    nodes.add(4);
    guarantees.put("a", 2);
    pods.add(pod("b", 20, 4));
    pods.add(pod("a", 10, 4));
    pods.add(pod("a", 1, 2));
    assertThat(hasCycle()).isFalse();
  }

  /// Two queues with a large gang that borrows and a small one that does not.
  @Example
  void large_gang_waits_while_another_queue_claims_its_guarantee() {
    nodes.add(4);
    guarantees.put("a", 3);
    guarantees.put("b", 1);
    pods.add(pod("a", 1, 4));
    pods.add(pod("a", 0, 3));
    pods.add(pod("b", 2, 4));
    pods.add(pod("b", 0, 1));
    assertThat(hasCycle()).isFalse();
  }

  private static Party pod(String queue, int priority, int gpus) {
    return new Party(queue, priority, gpus, gpus);
  }

  private void draw(Random random) {
    nodes.clear();
    pods.clear();
    guarantees.clear();
    maxima.clear();
    for (int node = 0; node <= random.nextInt(3); node++) {
      nodes.add(2 + random.nextInt(4));
    }
    int queues = 2 + random.nextInt(2);
    for (int queue = 0; queue < queues; queue++) {
      String name = "q" + queue;
      guarantees.put(name, random.nextInt(6));
      if (random.nextInt(4) == 0) {
        maxima.put(name, Math.max(guarantees.get(name), 2 + random.nextInt(6)));
      }
    }
    int most = nodes.stream().mapToInt(n -> n).max().orElseThrow();
    for (int pod = 0; pod < 3 + random.nextInt(3); pod++) {
      String queue = "q" + random.nextInt(queues);
      pods.add(pod(queue, random.nextInt(4), 1 + random.nextInt(most)));
    }
  }

  // ---- All states: the node of each running pod, -1 for one that waits ----

  private static final int WAITS = -1;

  private boolean hasCycle() {
    Map<List<Integer>, Set<List<Integer>>> next = new LinkedHashMap<>();
    Map<List<Integer>, Set<List<Integer>>> preempting = new LinkedHashMap<>();
    Deque<List<Integer>> open = new ArrayDeque<>();
    open.add(Collections.nCopies(pods.size(), WAITS));
    while (!open.isEmpty()) {
      List<Integer> state = open.remove();
      if (next.containsKey(state)) {
        continue;
      }
      next.put(state, new LinkedHashSet<>());
      preempting.put(state, new LinkedHashSet<>());
      for (int pod = 0; pod < pods.size(); pod++) {
        if (state.get(pod) == WAITS) {
          follow(state, pod, next.get(state), preempting.get(state));
        }
      }
      open.addAll(next.get(state));
    }
    return preempting.entrySet().stream()
        .anyMatch(from -> from.getValue().stream().anyMatch(to -> leads(to, from.getKey(), next)));
  }

  private static boolean leads(
      List<Integer> from, List<Integer> to, Map<List<Integer>, Set<List<Integer>>> next) {
    Set<List<Integer>> seen = new HashSet<>();
    Deque<List<Integer>> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty()) {
      List<Integer> state = open.remove();
      if (state.equals(to)) {
        return true;
      }
      if (seen.add(state)) {
        open.addAll(next.get(state));
      }
    }
    return false;
  }

  /// Adds the states that follow when the pod starts or preempts others.
  private void follow(
      List<Integer> state, int pod, Set<List<Integer>> next, Set<List<Integer>> preempting) {
    if (!placed(state, pod).isEmpty()) {
      next.addAll(mayBorrow(state, pod) ? placed(state, pod) : List.of());
      return;
    }
    for (int victims = 1; victims < 1 << pods.size(); victims++) {
      Optional<List<Integer>> left = without(state, victims);
      if (left.isPresent()
          && !hasNeedless(state, left.get(), pod)
          && isAllowed(state, left.get(), pod)
          && mayBorrow(left.get(), pod)) {
        next.addAll(placed(left.get(), pod));
        preempting.addAll(placed(left.get(), pod));
      }
    }
  }

  /// Returns the state without these running pods; empty if one of them does not run.
  private Optional<List<Integer>> without(List<Integer> state, int victims) {
    List<Integer> left = new ArrayList<>(state);
    for (int pod = 0; pod < pods.size(); pod++) {
      if ((victims & 1 << pod) != 0) {
        if (state.get(pod) == WAITS) {
          return Optional.empty();
        }
        left.set(pod, WAITS);
      }
    }
    return Optional.of(left);
  }

  /// Returns the states in which the waiting pod has a node too.
  private List<List<Integer>> placed(List<Integer> state, int pod) {
    List<Integer> free = new ArrayList<>(nodes);
    for (int other = 0; other < pods.size(); other++) {
      int node = state.get(other);
      if (node != WAITS) {
        free.set(node, free.get(node) - pods.get(other).gpus());
      }
    }
    Party gang = pods.get(pod);
    int used = use(state).getOrDefault(gang.queue(), 0) + gang.gpus();
    boolean within = used <= maxima.getOrDefault(gang.queue(), Integer.MAX_VALUE);
    List<List<Integer>> placed = new ArrayList<>();
    for (int node = 0; within && node < nodes.size(); node++) {
      if (free.get(node) >= gang.gpus()) {
        List<Integer> with = new ArrayList<>(state);
        with.set(pod, node);
        placed.add(with);
      }
    }
    return placed;
  }

  private boolean hasNeedless(List<Integer> state, List<Integer> left, int pod) {
    if (placed(left, pod).isEmpty()) {
      return true;
    }
    for (int victim = 0; victim < pods.size(); victim++) {
      if (!state.get(victim).equals(left.get(victim))) {
        List<Integer> with = new ArrayList<>(left);
        with.set(victim, state.get(victim));
        if (!placed(with, pod).isEmpty()) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isAllowed(List<Integer> state, List<Integer> left, int pod) {
    List<Party> leaving = new ArrayList<>();
    List<Party> waiting = new ArrayList<>();
    for (int other = 0; other < pods.size(); other++) {
      if (!state.get(other).equals(left.get(other))) {
        leaving.add(pods.get(other));
      } else if (state.get(other) == WAITS && other != pod) {
        waiting.add(pods.get(other));
      }
    }
    return new QueueRuleModel(guarantees)
        .shortfall(use(state), waiting, pods.get(pod), leaving)
        .isPresent();
  }

  /// True if guarantee claims of waiting gangs in other queues leave the GPUs that the pod takes.
  private boolean mayBorrow(List<Integer> state, int pod) {
    Map<String, Integer> use = use(state);
    Party gang = pods.get(pod);
    int own = use.getOrDefault(gang.queue(), 0) + gang.gpus();
    if (own <= guarantees.getOrDefault(gang.queue(), 0)) {
      return true;
    }
    int free = nodes.stream().mapToInt(n -> n).sum() - use.values().stream().mapToInt(n -> n).sum();
    int claimed = 0;
    for (String queue : guarantees.keySet()) {
      int asked = 0;
      for (int other = 0; other < pods.size(); other++) {
        boolean waits = state.get(other) == WAITS && other != pod;
        boolean counts = waits && pods.get(other).queue().equals(queue);
        asked += counts ? pods.get(other).gpus() : 0;
      }
      int missing = Math.max(0, guarantees.get(queue) - use.getOrDefault(queue, 0));
      claimed += queue.equals(gang.queue()) ? 0 : Math.min(missing, asked);
    }
    return claimed == 0 || free - claimed >= gang.gpus();
  }

  private Map<String, Integer> use(List<Integer> state) {
    TreeMap<String, Integer> use = new TreeMap<>();
    for (int pod = 0; pod < pods.size(); pod++) {
      if (state.get(pod) != WAITS) {
        use.merge(pods.get(pod).queue(), pods.get(pod).gpus(), Integer::sum);
      }
    }
    return use;
  }
}
