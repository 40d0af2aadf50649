package dev.muster.simulator.run;

import dev.muster.core.gang.NodeId;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.record.DomainIndex;
import dev.muster.simulator.run.record.SpeedModel;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Computes the speed of a gang on given nodes of a fleet.
public final class GangSpeed {
  private final boolean even;
  private final double[] speed;
  private final int[][] domains;
  private final double[] slowdowns;

  /// Creates speeds for a fleet under this model.
  public GangSpeed(Fleet fleet, SpeedModel speed) {
    this.even = speed.isFull();
    this.speed =
        fleet.nodes().stream()
            .mapToDouble(node -> speed.speeds().getOrDefault(node.model().name(), 1.0))
            .toArray();
    this.domains = DomainIndex.domains(fleet);
    this.slowdowns = new double[domains.length + 1];
    for (int depth = 1; depth <= domains.length; depth++) {
      slowdowns[depth - 1] = factor(speed, fleet.topology().nameAt(depth));
    }
    slowdowns[domains.length] = factor(speed, "node");
  }

  private static double factor(SpeedModel speed, String level) {
    return speed.slowdowns().getOrDefault(level, 1.0);
  }

  /// Returns the speed of a gang on these nodes; 1 is the speed of the trace.
  ///
  /// @param index index of a node in the fleet
  public double rate(List<NodeId> nodes, ToIntFunction<NodeId> index) {
    return even ? 1 : rate(nodes.stream().mapToInt(index).toArray());
  }

  /// Returns the speed of a gang on these nodes; 1 is the speed of the trace.
  ///
  /// @param nodes indexes of its nodes, each one or more times; none: 1
  public double rate(int[] nodes) {
    if (even || nodes.length == 0) {
      return 1;
    }
    double slowest = Arrays.stream(nodes).mapToDouble(node -> speed[node]).min().orElse(1);
    double slowdown = spans(nodes, null) ? slowdowns[domains.length] : 1;
    for (int level = 0; level < domains.length; level++) {
      slowdown = spans(nodes, domains[level]) ? Math.max(slowdown, slowdowns[level]) : slowdown;
    }
    return slowest / slowdown;
  }

  private static boolean spans(int[] nodes, int @Nullable [] level) {
    for (int node : nodes) {
      if (level == null ? node != nodes[0] : level[node] != level[nodes[0]]) {
        return true;
      }
    }
    return false;
  }
}
