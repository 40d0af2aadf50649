package dev.muster.core.bench;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.BusyCluster;
import dev.muster.core.kit.BusyCluster.Room;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;

/// Measures one step of the engine in a busy cluster. Each step starts from one prepared image.
/// Each has another event, with another pod, gang or node.
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class StepBench {
  private static final Engine ENGINE = new Engine(Policies.DEFAULT);
  private static final int VARIETY = 256;
  private static final long SEED = 7;

  /// A state and an event that is applied to it.
  record Scenario(State before, Event event, Engine engine) {
    Scenario(State before, Event event) {
      this(before, event, ENGINE);
    }

    Step step() {
      return engine.step(before, event);
    }
  }

  /// Processor time of each step of an iteration, in nanoseconds. It excludes time in which other
  /// processes ran.
  @org.openjdk.jmh.annotations.State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Cpu {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private final long[] nanos = new long[1 << 16];
    private int steps;

    /// Starts an iteration.
    @Setup(Level.Iteration)
    public void start() {
      steps = 0;
    }

    Step timed(Scenario scenario) {
      long start = THREADS.getCurrentThreadCpuTime();
      Step step = scenario.step();
      nanos[steps++ % nanos.length] = THREADS.getCurrentThreadCpuTime() - start;
      return step;
    }

    /// The median of the iteration.
    public long cpu50() {
      return percentile(50);
    }

    /// The 99th percentile of the iteration.
    public long cpu99() {
      return percentile(99);
    }

    private long percentile(int percent) {
      long[] sorted = Arrays.copyOf(nanos, Math.min(steps, nanos.length));
      Arrays.sort(sorted);
      return sorted.length == 0 ? 0 : sorted[(sorted.length * percent - 1) / 100];
    }
  }

  /// A cluster in which steps are taken.
  @org.openjdk.jmh.annotations.State(Scope.Thread)
  public static class Busy {
    /// Number of GPUs.
    @Param({"1000", "10000", "100000"})
    public int gpus;

    /// Number of waiting gangs.
    @Param("10000")
    public int waiting;

    List<Scenario> ends = List.of();
    List<Scenario> lastEnds = List.of();
    List<Scenario> bigEnds = List.of();
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
      lastEnds = lastEnds(state);
      bigEnds = bigEnds(state);
      losses = losses(state);
      List<Scenario> arriving = new ArrayList<>();
      gangs = arrivals(state, cluster.arrivals(VARIETY), arriving);
      members = arriving;
    }

    Step next(List<Scenario> scenarios, Cpu cpu) {
      turn = (turn + 1) % scenarios.size();
      return cpu.timed(scenarios.get(turn));
    }
  }

  /// A cluster in which gangs of 1,024 GPUs fit.
  @org.openjdk.jmh.annotations.State(Scope.Thread)
  public static class Roomy {
    /// Number of waiting gangs.
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

    Step next(Cpu cpu) {
      turn = (turn + 1) % gangs.size();
      return cpu.timed(gangs.get(turn));
    }
  }

  /// A member of a running gang has ended. Usually other members still run.
  @Benchmark
  public Step podFinished(Busy busy, Cpu cpu) {
    return busy.next(busy.ends, cpu);
  }

  /// The last member of a running gang has ended: what the gang had comes free in one piece.
  @Benchmark
  public Step gangFinished(Busy busy, Cpu cpu) {
    return busy.next(busy.lastEnds, cpu);
  }

  /// The pods of a big gang end one after the other: each step starts where the one before ended.
  @Benchmark
  public Step bigGangEnding(Busy busy, Cpu cpu) {
    return busy.next(busy.bigEnds, cpu);
  }

  /// The object of a gang, or one of its members but the last, is seen.
  @Benchmark
  public Step memberArrived(Busy busy, Cpu cpu) {
    return busy.next(busy.members, cpu);
  }

  /// The last member of a gang is seen: the gang is whole and has its turn.
  @Benchmark
  public Step gangArrived(Busy busy, Cpu cpu) {
    return busy.next(busy.gangs, cpu);
  }

  /// A node has gone away under its pods.
  @Benchmark
  public Step nodeGone(Busy busy, Cpu cpu) {
    return busy.next(busy.losses, cpu);
  }

  /// The last of 128 members of 8 GPUs each is seen, and the gang is admitted.
  @Benchmark
  public Step bigGangAdmitted(Roomy roomy, Cpu cpu) {
    return roomy.next(cpu);
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

  private static List<Scenario> lastEnds(State state) {
    List<Gang> running = running(state, 1);
    return new Random(SEED)
        .ints(VARIETY, 0, running.size())
        .mapToObj(running::get)
        .map(gang -> end(state, gang).getLast())
        .toList();
  }

  /// All ends of pods of the first gangs that run with so many pods or more, at least one gang.
  private static List<Scenario> bigEnds(State state) {
    List<Scenario> ends = new ArrayList<>();
    for (Gang gang : running(state, 32)) {
      ends.addAll(ends.size() < VARIETY ? end(state, gang) : List.of());
    }
    return ends;
  }

  private static List<Gang> running(State state, int pods) {
    return state.cluster().gangs().values().stream()
        .filter(gang -> gang.boundCount() >= pods)
        .toList();
  }

  /// One pod of the gang ends after the other.
  private static List<Scenario> end(State state, Gang gang) {
    List<Scenario> steps = new ArrayList<>();
    State at = state;
    for (Member member : gang.members()) {
      Member ended = member.as(new MemberState.Ended(true));
      steps.add(new Scenario(at, new Event.MemberSeen(BusyCluster.NOW, ended)));
      at = steps.getLast().step().after();
    }
    return steps;
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
