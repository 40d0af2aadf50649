package dev.muster.simulator.pack;

import static java.util.Objects.requireNonNull;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import dev.muster.simulator.trace.format.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Reproduces the packing experiment of Weng et al., USENIX ATC 2023, on a list of nodes and lists
/// of pods.
///
/// ```
/// ./mvnw -pl simulator -am test -Dtest=PackReproduction -Dsurefire.failIfNoSpecifiedTests=false \
///   -Dpack.nodes=$PWD/openb_node_list_gpu_node.csv -Dpack.pods=$PWD/openb_pod_list_default.csv
/// ```
///
/// Further properties: `pack.policies` (all), `pack.seeds` (`42..51`), `pack.demand` (1.3). Lists
/// of pods are separated by commas. For each it prints a table, with the published figures beside,
/// and writes `target/pack-LIST.csv`. Not part of the build: its name is not that of a test.
@Timeout(value = 6, unit = TimeUnit.HOURS)
class PackReproduction {
  @Test
  void packing() throws IOException {
    Fleet fleet = Fleets.of(requireNonNull(System.getProperty("pack.nodes"), "-Dpack.nodes"));
    String lists = requireNonNull(System.getProperty("pack.pods"), "-Dpack.pods");
    for (String list : lists.split(",", -1)) {
      packing(fleet, Path.of(list));
    }
  }

  private static void packing(Fleet fleet, Path pods) throws IOException {
    String mix = pods.getFileName().toString().replaceAll("^openb_pod_list_|\\.csv$", "");
    List<TraceJob> jobs = new ArrayList<>();
    try (Trace trace = TraceFiles.open(pods, TraceOptions.DEFAULT)) {
      trace.forEachRemaining(jobs::add);
    }
    double demand = Double.parseDouble(System.getProperty("pack.demand", "1.3"));
    List<String> lines = new ArrayList<>(List.of(PackTable.HEADER));
    System.out.println(PackTable.head(mix));
    for (PackPolicy policy : policies()) {
      List<List<PackRun.Point>> runs =
          seeds().parallelStream()
              .map(seed -> PackRun.of(fleet, jobs, policy, demand, seed))
              .toList();
      System.out.println(PackTable.row(policy.key(), runs, PublishedPacking.of(mix, policy.key())));
      lines.addAll(PackTable.lines(policy.key(), runs));
    }
    Files.write(Path.of("target/pack-" + mix + ".csv"), lines);
  }

  private static List<Long> seeds() {
    String[] ends = System.getProperty("pack.seeds", "42..51").split("\\.\\.", -1);
    return LongStream.rangeClosed(Long.parseLong(ends[0]), Long.parseLong(ends[ends.length - 1]))
        .boxed()
        .toList();
  }

  private static List<PackPolicy> policies() {
    String names = System.getProperty("pack.policies", "");
    return names.isEmpty()
        ? List.of(PackPolicy.values())
        : Stream.of(names.split(",", -1)).map(PackPolicy::of).toList();
  }
}
