package dev.muster.server.kube.act;

import dev.muster.core.decision.Decision;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs each decision in one line.
public final class DecisionLog {
  private static final Logger log = LoggerFactory.getLogger("dev.muster.decision");

  private DecisionLog() {}

  public static void write(Decision decision) {
    String verb = decision.getClass().getSimpleName();
    String reason = decision.why().main().map(ReasonText::token).orElse("Fits");
    String sentence = decision.why().main().map(ReasonText::sentence).orElse("") + plan(decision);
    log.atInfo()
        .addKeyValue("gang", decision.gang().toString())
        .addKeyValue("decision", verb)
        .addKeyValue("reason", reason)
        .addKeyValue("clusterVersion", decision.why().clusterVersion())
        .log("{} {}: {} {}", verb, decision.gang(), reason, sentence);
  }

  private static String plan(Decision decision) {
    if (decision instanceof Decision.Preempt preempt) {
      return " %s for it on %s%s: %s."
          .formatted(
              preempt.enforced() ? "Preempted" : "Would be preempted",
              preempt.nodes().stream().map(NodeId::name).collect(Collectors.joining(", ")),
              preempt.revision().isEmpty() ? "" : " by policy " + preempt.revision(),
              preempt.victims().stream()
                  .map(DecisionLog::victim)
                  .collect(Collectors.joining(", ")));
    }
    return decision instanceof Decision.Plan(_, var start, var nodes, _)
        ? " Planned start %son %s."
            .formatted(
                start.map(at -> "at " + at + " ").orElse(""),
                nodes.stream().map(NodeId::name).collect(Collectors.joining(", ")))
        : "";
  }

  private static String victim(Victim victim) {
    return "%s (%d pods, rule %s, %d GPU-seconds lost)"
        .formatted(victim.gang(), victim.members().size(), victim.rule(), victim.lostWork());
  }
}
