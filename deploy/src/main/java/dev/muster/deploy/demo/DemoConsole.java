package dev.muster.deploy.demo;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.Placement;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Step;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/// Shows the fabric and the decisions, as plain text for terminals and logs.
final class DemoConsole {
  private final PrintStream out;
  private final Instant start;
  private final SequencedMap<GangId, String> lines = new LinkedHashMap<>();
  private Cluster newest = Cluster.empty(DemoScenario.TOPOLOGY);
  private String drawn = "";

  DemoConsole(PrintStream out, Instant start) {
    this.out = out;
    this.start = start;
  }

  /// Records the decisions of a step, and the gangs that now run. For each gang only the last
  /// message of an instant is shown.
  void note(Step step) {
    Cluster cluster = step.after().cluster();
    newest = cluster;
    for (Effect effect : step.effects()) {
      if (effect instanceof Effect.Publish(GangId gang, _, var status)
          && status.reason().equals("Running")
          && status.bound() == status.present()) {
        line(cluster, "runs", gang, status.message());
      }
    }
    step.decisions().forEach(decision -> show(decision, cluster));
  }

  /// Shows the messages of the past instant, and the fabric if it changed.
  void endOfInstant() {
    lines.values().forEach(out::println);
    lines.clear();
    String drawing = fabric(newest);
    if (!drawing.equals(drawn)) {
      out.println(drawing);
      drawn = drawing;
    }
  }

  private void show(Decision decision, Cluster cluster) {
    switch (decision) {
      case Decision.Admit(GangId gang, Placement placement, _) ->
          line(cluster, "admit", gang, shape(cluster, gang) + " in " + where(placement));
      case Decision.Wait(GangId gang, var why) ->
          line(cluster, "wait", gang, why.main().map(DemoConsole::reason).orElse(""));
      case Decision.Plan(GangId gang, var start, var nodes, _) ->
          line(
              cluster,
              "plan",
              gang,
              "to start %son %s"
                  .formatted(
                      start.map(at -> "at " + at + " ").orElse(""),
                      nodes.stream().map(NodeId::name).collect(Collectors.joining(" "))));
      case Decision.Preempt(GangId gang, var victims, _, _, _, _) ->
          line(
              cluster,
              "preempt",
              gang,
              victims.stream().map(v -> v.gang().name()).collect(Collectors.joining(", ")));
      case Decision.Reject(GangId gang, var why) ->
          line(cluster, "reject", gang, why.main().map(DemoConsole::reason).orElse(""));
      case Decision.Release(GangId gang, _, var why) ->
          line(cluster, "release", gang, why.main().map(DemoConsole::reason).orElse(""));
    }
  }

  private static String reason(Veto veto) {
    return ReasonText.token(veto) + ": " + ReasonText.sentence(veto);
  }

  private static String shape(Cluster cluster, GangId gang) {
    int members = cluster.gang(gang).members().size();
    int gpus = cluster.gang(gang).members().values().getFirst().request().gpus();
    return "%d x %d GPU".formatted(members, gpus);
  }

  private static String where(Placement placement) {
    String nodes =
        placement.assignments().stream()
            .map(a -> a.node().name())
            .distinct()
            .collect(Collectors.joining(" "));
    return placement.domain() + ": " + nodes;
  }

  private void line(Cluster cluster, String what, GangId gang, String text) {
    Duration since = Duration.between(start, cluster.now());
    lines.put(
        gang,
        "%6.1fs  %-7s %s %-9s %s"
            .formatted(since.toMillis() / 1000.0, what, letter(gang, false), gang.name(), text));
  }

  /// Returns the first letter of the gang's name: small for a promised GPU, large for one in use.
  private static char letter(GangId gang, boolean promised) {
    char first = gang.name().charAt(0);
    return promised ? Character.toLowerCase(first) : Character.toUpperCase(first);
  }

  /// Draws every rack, with a cell for each GPU; `.` is a free GPU.
  private static String fabric(Cluster cluster) {
    StringBuilder drawing = new StringBuilder(System.lineSeparator());
    for (TopologyDomain rack : cluster.fabric().atDepth(cluster.topology().depth())) {
      drawing.append("         %-15s".formatted(rack.path()));
      String model = "";
      for (NodeState node : rack.nodes()) {
        drawing
            .append(' ')
            .append(node.id().name())
            .append('[')
            .append(cells(cluster, node))
            .append(']');
        model = node.node().model().name();
      }
      drawing.append(' ').append(model).append(System.lineSeparator());
    }
    return drawing.toString();
  }

  private static String cells(Cluster cluster, NodeState node) {
    StringBuilder cells = new StringBuilder();
    node.occupants().keys().forEach(pod -> cells.append(cell(cluster, pod, false)));
    node.promises().keys().forEach(pod -> cells.append(cell(cluster, pod, true)));
    return cells.append(".".repeat(Math.max(0, node.node().gpus() - cells.length()))).toString();
  }

  private static String cell(Cluster cluster, MemberId pod, boolean promised) {
    for (Gang gang : cluster.gangs()) {
      if (gang.members().contains(pod)) {
        Member member = gang.members().get(pod).orElseThrow();
        return String.valueOf(letter(gang.id(), promised)).repeat(member.request().gpus());
      }
    }
    return "#";
  }
}
