package dev.muster.policy.preemption;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.core.preemption.Subject;
import dev.muster.core.preemption.Term;
import dev.muster.core.preemption.Term.Fold;
import java.util.ArrayList;
import java.util.List;

/// By what victims are chosen, as policy files name it.
enum VictimOrder {
  /// The least important gangs.
  LOWEST_PRIORITY("lowestPriority", Fold.MAX),
  /// As few gangs as possible.
  FEWEST_GANGS("fewestGangs", Fold.SUM),
  /// As few GPUs as possible.
  FEWEST_GPUS("fewestGpus", Fold.SUM),
  /// As few nodes as possible.
  FEWEST_NODES("fewestNodes", Fold.SUM),
  /// Small gangs rather than big ones.
  SMALLEST("smallest", Fold.MAX),
  /// As little work lost as possible.
  LEAST_LOST_WORK("leastLostWork", Fold.SUM),
  /// Gangs that started last.
  YOUNGEST("youngest", Fold.MAX),
  /// Gangs that were stopped least often before.
  FEWEST_PREEMPTIONS("fewestPreemptions", Fold.MAX),
  /// Gangs of queues that use more than they are guaranteed.
  BORROWERS_FIRST("borrowersFirst", Fold.SUM),
  /// What the file's `cost` says.
  COST("cost", Fold.SUM);

  @JsonValue private final String inFiles;
  private final Fold fold;

  VictimOrder(String inFiles, Fold fold) {
    this.inFiles = inFiles;
    this.fold = fold;
  }

  /// An amount as people read it: a priority instead of its distance from the lowest one.
  static long shown(String term, long amount) {
    return term.equals(LOWEST_PRIORITY.inFiles) ? amount + Integer.MIN_VALUE : amount;
  }

  /// The amounts of a price as people read them, each behind its name.
  static String shown(List<Term> terms, List<Long> amounts) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < terms.size(); i++) {
      String name = terms.get(i).name();
      parts.add("%s %d".formatted(name, shown(name, amounts.get(i))));
    }
    return String.join(", ", parts);
  }

  Term term() {
    return new Term(inFiles, fold);
  }

  /// What a gang counts, 0 or more; of [#COST] only a [VictimPrice] knows.
  long amount(Subject victim) {
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
