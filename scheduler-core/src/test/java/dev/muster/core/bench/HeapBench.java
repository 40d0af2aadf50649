package dev.muster.core.bench;

import dev.muster.core.engine.Engine;
import dev.muster.core.kit.BusyCluster;
import dev.muster.core.kit.BusyCluster.Room;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;

/// Measures the memory of the engine for a whole cluster, and the time to learn it.
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
public class HeapBench {
  /// Objects that are counted.
  @org.openjdk.jmh.annotations.State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Live {
    /// Memory of the state in KiB.
    public long kib;

    /// Pods in it.
    public long pods;
  }

  /// A cluster to learn.
  @org.openjdk.jmh.annotations.State(Scope.Thread)
  public static class Shape {
    /// Number of waiting gangs.
    @Param("10000")
    public int waiting;
  }

  /// All of a cluster of 100,000 GPUs is seen, and every gang has its turn.
  @Benchmark
  public State learned(Shape shape, Live live) {
    Engine engine = new Engine(Policies.DEFAULT);
    new BusyCluster(800, 10, Room.SCATTERED, 1).state(engine); // classes and constants
    long before = used();
    State state = new BusyCluster(100_000, shape.waiting, Room.SCATTERED, 7).state(engine);
    live.kib = (used() - before) >> 10;
    state.cluster().gangs().forEach(gang -> live.pods += gang.members().size());
    return state;
  }

  private static long used() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
