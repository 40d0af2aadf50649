package dev.muster.policy.preemption.explain;

import dev.muster.core.cluster.PodLocations;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Placement;
import dev.muster.core.preempt.PreemptionOutcome;
import dev.muster.core.state.State;
import dev.muster.core.victims.PreemptionPlan;
import dev.muster.core.victims.VictimCandidate;
import dev.muster.core.victims.VictimCost;
import dev.muster.policy.file.Durations;
import dev.muster.policy.preemption.VictimOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Words the preemption plan of a gang that waits for capacity.
///
/// @param state the state of the plan
record PlanText(State state) {
  /// Returns one line, and one for each victim.
  List<String> of(PreemptionOutcome outcome) {
    return switch (outcome) {
      case PreemptionOutcome.Complete _ -> List.of("No plan: none of its pods waits for a node.");
      case PreemptionOutcome.Declined _ ->
          List.of("No plan: its PriorityClass has preemptionPolicy: Never.");
      case PreemptionOutcome.Early(var rest) ->
          List.of(
              rest.map(time ->
                      "No plan yet: the policy's delay ends in %s."
                          .formatted(Durations.print(time)))
                  .orElse("No plan: the policy's delay for it is unknown."));
      case PreemptionOutcome.Fits(Placement placement) ->
          List.of("No plan needed: it fits on %s.".formatted(nodes(placement)));
      case PreemptionOutcome.NoVictims _ ->
          List.of("No plan: preempting every allowed gang would not make it fit.");
      case PreemptionOutcome.TooMany(PreemptionPlan plan, int left) ->
          List.of(
              "No plan now: it needs %d preemptions, but only %d more are allowed in this hour."
                  .formatted(plan.victims().size(), Math.max(0, left)));
      case PreemptionOutcome.Plan(_, PreemptionPlan plan) -> plan(plan);
    };
  }

  private List<String> plan(PreemptionPlan plan) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "Plan: preempt these gangs at %s, then start on %s."
            .formatted(price(plan.cost()), nodes(plan.placement())));
    plan.victims().forEach(victim -> lines.add("  " + victim(victim)));
    return lines;
  }

  private String victim(VictimCandidate victim) {
    return "%s: %s%d %s with %d GPUs on %s, by the rule %s"
        .formatted(
            victim.gang(),
            victim.spare() ? "gives back " : "",
            victim.members().size(),
            victim.members().size() == 1 ? "pod" : "pods",
            victim.profile().gpus(),
            names(
                victim.members().stream()
                    .flatMap(pod ->
                        state
                            .cluster()
                            .locations()
                            .get(pod)
                            .map(PodLocations.PodLocation::node)
                            .stream())),
            victim.ruling().rule());
  }

  private static String price(VictimCost price) {
    return price.amounts().stream().allMatch(amount -> amount == 0)
        ? "no cost"
        : VictimOrder.shown(price.terms(), price.amounts());
  }

  private static String nodes(Placement placement) {
    return names(placement.assignments().stream().map(Assignment::node));
  }

  private static String names(Stream<NodeId> nodes) {
    return nodes.map(NodeId::name).distinct().sorted().collect(Collectors.joining(", "));
  }
}
