package dev.muster.deploy.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import dev.muster.core.topology.Topology;
import dev.muster.deploy.ShippedFiles;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalHeader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `muster policy explain` and `diff` read the snapshot of a cluster. Two nodes are full, and a
/// gang waits for both.
class ClusterCommandTest {
  private static final Instant NOON = Instant.parse("2026-11-02T12:00:00Z");
  private static final Path POLICY = ShippedFiles.folder().resolve("config/preemption-policy.yaml");

  @TempDir private Path folder = Path.of("");
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path cluster = Path.of("");

  @BeforeEach
  void snapshot() throws IOException {
    cluster = folder.resolve("cluster.jsonl.gz");
    List<Event> facts = new ArrayList<>();
    facts.add(node("gpu-1"));
    facts.add(node("gpu-2"));
    gang(facts, "sweep-1", 0, Duration.ofHours(3), "gpu-1");
    gang(facts, "sweep-2", 0, Duration.ofHours(1), "gpu-2");
    gang(facts, "train-7b", 100, Duration.ofMinutes(5), "", "");
    ClusterSnapshot.write(
        cluster, JournalHeader.of(new Topology(List.of()), Policies.DEFAULT, Map.of()), facts);
  }

  private static Event node(String name) {
    Resources has = Resources.of(Map.of("nvidia.com/gpu", 8L, "pods", 110L));
    return new Event.NodeSeen(
        NOON,
        new Node(
            new NodeId(name),
            new TreeMap<>(),
            has,
            8,
            GpuModel.UNKNOWN,
            List.of(),
            false,
            List.of()));
  }

  /// A gang with a pod of eight GPUs on each node; where the node has no name it waits.
  private static void gang(
      List<Event> facts, String name, int priority, Duration age, String... nodes) {
    GangId gang = new GangId("nlp", GangId.Origin.POD_GROUP, name);
    Instant since = NOON.minus(age);
    facts.add(new Event.GangSeen(NOON, GangSpec.of(gang, nodes.length, "nlp", since)));
    Request request = Request.of(Resources.of(Map.of("nvidia.com/gpu", 8L, "pods", 1L)), 8);
    for (int i = 0; i < nodes.length; i++) {
      MemberId id = new MemberId("nlp", name + "-" + i, name + "-" + i);
      MemberState state =
          nodes[i].isEmpty()
              ? new MemberState.Held(false)
              : new MemberState.Bound(new NodeId(nodes[i]), since);
      Member member =
          new Member(id, gang, i, priority, request, GangConstraints.NONE, state, since);
      facts.add(new Event.MemberSeen(NOON, member));
    }
  }

  private int run(Object... args) {
    CommandLine command =
        PolicyCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(List.of(args).stream().map(Object::toString).toArray(String[]::new));
  }

  @Test
  void explain_shows_the_plan_and_the_possible_victims() {
    int code = run("explain", POLICY, "--cluster", cluster, "--preemptor", "nlp/train-7b");
    assertThat(err.toString()).isEmpty();
    assertThat(code).isZero();
    assertThat(out.toString().lines().filter(line -> !line.startsWith("  rule")))
        .contains(
            "Plan: preempt these gangs at lowestPriority 0, fewestGangs 2, leastLostWork 115200, then start on gpu-1, gpu-2.",
            "  nlp/sweep-1: 1 pod with 8 GPUs on gpu-1, by the rule higher-priority",
            "  nlp/sweep-2: 1 pod with 8 GPUs on gpu-2, by the rule higher-priority");
    assertThat(out.toString()).contains("nlp/sweep-1 (queue nlp, priority 0, 8 GPUs): rule higher");
  }

  @Test
  void diff_shows_the_plans_that_change() throws IOException {
    String text = Files.readString(POLICY).replace("minRunTime: 30m", "minRunTime: 2h");
    Path young = Files.writeString(folder.resolve("new.yaml"), text);
    assertThat(run("diff", POLICY, young, "--cluster", cluster)).isZero();
    assertThat(out.toString().lines())
        .startsWith("nlp/train-7b:")
        .contains("  + No plan: preempting every allowed gang would not make it fit.")
        .endsWith("Changes: 1, among 1 waiting and 2 running gangs.");
  }

  @Test
  void gang_that_does_not_wait_for_capacity_is_reported() {
    assertThat(run("explain", POLICY, "--cluster", cluster, "--preemptor", "nlp/sweep-1"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("No gang nlp/sweep-1 waits for capacity", "nlp/train-7b");
  }

  @Test
  void absence_of_waiting_gangs_is_reported() throws IOException {
    ClusterSnapshot.write(
        cluster,
        JournalHeader.of(new Topology(List.of()), Policies.DEFAULT, Map.of()),
        List.of(node("gpu-1")));
    assertThat(run("explain", POLICY, "--cluster", cluster, "--preemptor", "nlp/train-7b"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("No gang nlp/train-7b waits for capacity", "No gang does.");
  }

  @Test
  void unreadable_snapshot_is_reported() {
    assertThat(run("diff", POLICY, POLICY, "--cluster", folder.resolve("none"))).isEqualTo(2);
    assertThat(err.toString()).contains("no such file");
  }

  @Test
  void one_of_the_two_files_is_required() {
    assertThat(run("diff", POLICY, POLICY)).isEqualTo(2);
    assertThat(err.toString()).contains("--subjects", "--cluster");
  }
}
