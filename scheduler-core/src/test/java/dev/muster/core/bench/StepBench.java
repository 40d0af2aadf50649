package dev.muster.core.bench;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.engine.Policies;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.BusyCluster;
import dev.muster.core.kit.BusyCluster.Room;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;

/// One turn of the engine in a busy cluster. Each step starts from one prepared image, and each is
/// of another event: another pod, another gang, another node.
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class StepBench {
  private static final Engine ENGINE = new Engine(Policies.DEFAULT);
  private static final int VARIETY = 256;
  private static final long SEED = 7;

  /// A state and an event that happens in it.
  record Scenario(State before, Event event) {
    Step step() {
      return ENGINE.step(before, event);
    }
  }

  /// A cluster in which steps are taken.
  @org.openjdk.jmh.annotations.State(Scope.Thread)
  public static class Busy {
    /// How many GPUs there are.
    @Param({"1000", "10000", "100000"})
    public int gpus;

    /// How many gangs wait.
    @Param("10000")
    public int waiting;

    List<Scenario> ends = List.of();
    List<Scenario> members = List.of();
    List<Scenario> gangs = List.of();
    List<Scenario> losses = List.of();
    private int turn;

    /// Builds the cluster once for all steps.
    @Setup
    public void build() {
      BusyCluster cluster = new BusyCluster(rounded(gpus), waiting, Room.SCATTERED, SEED);
      State state = cluster.state(ENGINE);
      ends = ends(state);
      losses = losses(state);
      List<Scenario> arriving = new ArrayList<>();
      gangs = arrivals(state, cluster.arrivals(VARIETY), arriving);
      members = arriving;
    }

    Step next(List<Scenario> scenarios) {
      turn = (turn + 1) % scenarios.size();
      return scenarios.get(turn).step();
    }
  }

  /// A cluster in which gangs of 1,024 GPUs fit.
  @org.openjdk.jmh.annotations.State(Scope.Thread)
  public static class Roomy {
    /// How many gangs wait.
    @Param("10000")
    public int waiting;

    List<Scenario> gangs = List.of();
    private int turn;

    /// Builds the cluster once for all steps.
    @Setup
    public void build() {
      BusyCluster cluster = new BusyCluster(100_000, waiting, Room.WHOLE_NODES, SEED);
      gangs = arrivals(cluster.state(ENGINE), cluster.bigArrivals(12), new ArrayList<>());
      for (Scenario gang : gangs) {
        if (gang.step().decisions().isEmpty()) {
          throw new IllegalStateException("A gang that should be admitted is not.");
        }
      }
    }

    Step next() {
      turn = (turn + 1) % gangs.size();
      return gangs.get(turn).step();
    }
  }

  /// A member of a running gang has ended.
  @Benchmark
  public Step podFinished(Busy busy) {
    return busy.next(busy.ends);
  }

  /// The object of a gang, or one of its members but the last, is seen.
  @Benchmark
  public Step memberArrived(Busy busy) {
    return busy.next(busy.members);
  }

  /// The last member of a gang is seen: the gang is whole and has its turn.
  @Benchmark
  public Step gangArrived(Busy busy) {
    return busy.next(busy.gangs);
  }

  /// A node has gone away under its pods.
  @Benchmark
  public Step nodeGone(Busy busy) {
    return busy.next(busy.losses);
  }

  /// The last of 128 members of 8 GPUs each is seen, and the gang is admitted.
  @Benchmark
  public Step bigGangAdmitted(Roomy roomy) {
    return roomy.next();
  }

  /// Ten nodes have one of each kind.
  static int rounded(int gpus) {
    return gpus / 80 * 80;
  }

  private static List<Scenario> ends(State state) {
    List<Member> bound = new ArrayList<>();
    state
        .cluster()
        .gangs()
        .forEach(
            gang -> gang.members().values().stream().filter(Member::isBound).forEach(bound::add));
    Random random = new Random(SEED);
    return random
        .ints(VARIETY, 0, bound.size())
        .mapToObj(bound::get)
        .map(member -> member.as(new MemberState.Ended(true)))
        .map(member -> new Scenario(state, new Event.MemberSeen(BusyCluster.NOW, member)))
        .toList();
  }

  private static List<Scenario> losses(State state) {
    List<NodeId> nodes = state.cluster().nodes().keys();
    return new Random(SEED)
        .ints(VARIETY, 0, nodes.size())
        .mapToObj(nodes::get)
        .map(node -> new Scenario(state, new Event.NodeGone(BusyCluster.NOW, node)))
        .toList();
  }

  /// The steps that complete the gangs; the steps before them are added to the list.
  private static List<Scenario> arrivals(
      State state, List<List<Event>> gangs, List<Scenario> before) {
    List<Scenario> last = new ArrayList<>();
    for (List<Event> events : gangs) {
      State at = state;
      for (Event event : events.subList(0, events.size() - 1)) {
        before.add(new Scenario(at, event));
        at = before.getLast().step().after();
      }
      last.add(new Scenario(at, events.getLast()));
    }
    return last;
  }
}
