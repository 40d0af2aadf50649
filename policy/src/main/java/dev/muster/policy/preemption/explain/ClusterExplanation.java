package dev.muster.policy.preemption.explain;

import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.preempt.GangProfiles;
import dev.muster.core.preempt.PreemptionOutcome;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.preemption.PolicySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Explains a policy in a whole cluster: its ruling on each gang, and the engine's plan.
///
/// The plan comes from the search that the engine uses.
public final class ClusterExplanation {
  private static final int NAMED = 10;

  private final State state;
  private final Policies policies;

  /// Explains a policy in the cluster of a snapshot.
  public ClusterExplanation(ClusterSnapshot snapshot, PreemptionPolicy policy) {
    this.state = snapshot.state();
    this.policies = snapshot.engine().policies().with(policy);
  }

  /// Returns the gangs that wait for capacity, in order of name.
  public List<GangId> waiting() {
    return PreemptionOutcome.waiting(state);
  }

  /// Returns the explanation for a waiting gang.
  ///
  /// It has the gang, the plan, the ruling on each gang that may ever be preempted for it, and the
  /// gangs that may not.
  public List<String> text(GangId gang) {
    GangProfiles profiles = new GangProfiles(state, policies);
    GangProfile preemptor = profiles.asking(state.cluster().gang(gang));
    List<GangProfile> before = new ArrayList<>();
    List<GangProfile> after = new ArrayList<>();
    for (GangProfile running : profiles.running()) {
      (GangProfiles.mayStop(preemptor, running) ? after : before).add(running);
    }
    List<String> text =
        new ArrayList<>(
            new PolicyExplanation(policies.preemption(), state.cluster().now())
                .text(preemptor, after));
    text.addAll(1, plan(gang));
    if (!before.isEmpty()) {
      text.add(beyond(before));
    }
    return text;
  }

  /// Returns the plan for the gang: one line, and one for each victim.
  public List<String> plan(GangId gang) {
    return new PlanText(state).of(PreemptionOutcome.of(state, policies, gang));
  }

  private static String beyond(List<GangProfile> before) {
    String names =
        before.stream()
            .limit(NAMED)
            .map(profile -> profile.gang().toString())
            .collect(Collectors.joining(", "));
    return "Never preempted for it under any policy, because their claim is higher or equal: %s%s."
        .formatted(
            names, before.size() > NAMED ? " and %d more".formatted(before.size() - NAMED) : "");
  }

  /// Returns the settings and the plans of waiting gangs that differ between two policies.
  public static List<String> changes(
      PreemptionPolicy before, PreemptionPolicy after, ClusterSnapshot snapshot) {
    ClusterExplanation old = new ClusterExplanation(snapshot, before);
    ClusterExplanation young = new ClusterExplanation(snapshot, after);
    List<String> changes = new ArrayList<>(PolicySettings.changes(before, after));
    for (GangId gang : old.waiting()) {
      List<String> was = old.plan(gang);
      List<String> is = young.plan(gang);
      if (!was.equals(is)) {
        changes.add("%s:\n%s\n%s".formatted(gang, marked("-", was), marked("+", is)));
      }
    }
    return changes;
  }

  private static String marked(String sign, List<String> lines) {
    return lines.stream()
        .map(line -> "  %s %s".formatted(sign, line))
        .collect(Collectors.joining("\n"));
  }

  /// Returns the number of running gangs.
  public int running() {
    return (int)
        state.cluster().gangs().values().stream().map(Gang::boundCount).filter(n -> n > 0).count();
  }
}
