package dev.muster.deploy.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import dev.muster.core.topology.Topology;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.server.kube.watch.ClusterListing;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LiveClusterTest {
  @Test
  void what_is_not_counted_is_printed() {
    List<String> selections = IntStream.range(0, 13).mapToObj(i -> "selection " + i).toList();
    LiveCluster.Seen seen =
        new LiveCluster.Seen(
            JournalHeader.of(new Topology(List.of()), Policies.DEFAULT, Map.of()),
            new ClusterListing(List.of(), List.of(), new TreeMap<>(), List.of(), selections),
            new LiveBudgets(Optional.empty(), Optional.of("budgets")));
    StringWriter err = new StringWriter();
    seen.warn(new PrintWriter(err));

    assertThat(err.toString().lines())
        .startsWith("selection 0", "selection 1")
        .endsWith("selection 9", "3 more selections are not counted.", "budgets");
  }
}
