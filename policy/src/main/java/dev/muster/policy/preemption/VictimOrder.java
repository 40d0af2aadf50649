package dev.muster.policy.preemption;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.CostTerm.Fold;
import dev.muster.core.victims.GangProfile;
import java.util.ArrayList;
import java.util.List;

/// Comparators of victims, as policy files name them.
public enum VictimOrder {
  /// Prefers gangs of low priority.
  LOWEST_PRIORITY("lowestPriority", Fold.MAX),
  /// Prefers few gangs.
  FEWEST_GANGS("fewestGangs", Fold.SUM),
  /// Prefers few GPUs.
  FEWEST_GPUS("fewestGpus", Fold.SUM),
  /// Prefers few nodes.
  FEWEST_NODES("fewestNodes", Fold.SUM),
  /// Prefers small gangs.
  SMALLEST("smallest", Fold.MAX),
  /// Prefers little lost work.
  LEAST_LOST_WORK("leastLostWork", Fold.SUM),
  /// Prefers gangs that started last.
  YOUNGEST("youngest", Fold.MAX),
  /// Prefers gangs with few earlier preemptions.
  FEWEST_PREEMPTIONS("fewestPreemptions", Fold.MAX),
  /// Prefers gangs of queues that use more than their guarantee.
  BORROWERS_FIRST("borrowersFirst", Fold.SUM),
  /// Prefers a low value of the file's `cost`.
  COST("cost", Fold.SUM);

  @JsonValue private final String inFiles;
  private final Fold fold;

  VictimOrder(String inFiles, Fold fold) {
    this.inFiles = inFiles;
    this.fold = fold;
  }

  /// Returns an amount for display: a priority instead of its distance from the lowest one.
  public static long shown(String term, long amount) {
    return term.equals(LOWEST_PRIORITY.inFiles) ? amount + Integer.MIN_VALUE : amount;
  }

  /// Returns the amounts of a price for display, each after its name.
  public static String shown(List<CostTerm> terms, List<Long> amounts) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < terms.size(); i++) {
      String name = terms.get(i).name();
      parts.add("%s %d".formatted(name, shown(name, amounts.get(i))));
    }
    return String.join(", ", parts);
  }

  CostTerm term() {
    return new CostTerm(inFiles, fold);
  }

  /// Returns the amount of a gang, 0 or more; [VictimCosts] computes that of [#COST].
  long amount(GangProfile victim) {
    return switch (this) {
      case LOWEST_PRIORITY -> (long) victim.priority() - Integer.MIN_VALUE;
      case FEWEST_GANGS -> 1;
      case FEWEST_GPUS, SMALLEST -> victim.gpus();
      case FEWEST_NODES -> victim.nodes();
      case LEAST_LOST_WORK -> victim.lostWork();
      case YOUNGEST -> Math.max(0, victim.ran().toSeconds());
      case FEWEST_PREEMPTIONS -> victim.preempted().size();
      case BORROWERS_FIRST -> victim.borrows() ? 0 : 1;
      case COST -> 0;
    };
  }
}
