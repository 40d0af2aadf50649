package dev.muster.core.victims;

import dev.muster.core.victims.CostTerm.Fold;
import java.util.ArrayList;
import java.util.List;

/// The cost of stopping some gangs. Less is better; the first term counts most.
///
/// @param terms meaning of the amounts
/// @param amounts one amount for each term, 0 or more
public record VictimCost(List<CostTerm> terms, List<Long> amounts)
    implements Comparable<VictimCost> {
  public VictimCost {
    amounts = List.copyOf(amounts);
    if (amounts.size() != terms.size() || amounts.stream().anyMatch(amount -> amount < 0)) {
      throw new IllegalArgumentException(
          "Cost %s does not match the terms %s: expected one amount of 0 or more for each term."
              .formatted(amounts, terms.stream().map(CostTerm::name).toList()));
    }
  }

  /// Returns the cost of an empty set of victims.
  static VictimCost nothing(List<CostTerm> terms) {
    return new VictimCost(terms, terms.stream().map(_ -> 0L).toList());
  }

  /// Returns this cost with all terms twice, those for spare members after those for whole gangs.
  VictimCost doubled() {
    List<CostTerm> both = new ArrayList<>(terms);
    List<Long> all = new ArrayList<>(amounts);
    both.addAll(terms);
    all.addAll(amounts);
    return new VictimCost(both, all);
  }

  /// Returns the combined cost of both sets of victims. A sum that overflows becomes
  /// `Long.MAX_VALUE`.
  VictimCost plus(VictimCost other) {
    List<Long> both = new ArrayList<>();
    for (int i = 0; i < terms.size(); i++) {
      long one = amounts.get(i);
      long two = other.amounts.get(i);
      both.add(terms.get(i).fold() == Fold.MAX ? Math.max(one, two) : sum(one, two));
    }
    return new VictimCost(terms, both);
  }

  private static long sum(long one, long two) {
    return one > Long.MAX_VALUE - two ? Long.MAX_VALUE : one + two;
  }

  /// Compares two costs relative to their gains; negative if this one is better.
  ///
  /// Terms that add up are compared per unit gained. Terms that take the maximum are compared as
  /// they are. If all terms are equal, the larger gain wins.
  int compareFor(long gain, VictimCost other, long otherGain) {
    for (int i = 0; i < terms.size(); i++) {
      boolean sum = terms.get(i).fold() == Fold.SUM;
      int order =
          sum
              ? Long.compare(
                  product(amounts.get(i), otherGain), product(other.amounts.get(i), gain))
              : Long.compare(amounts.get(i), other.amounts.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Long.compare(otherGain, gain);
  }

  private static long product(long amount, long gain) {
    return amount > Long.MAX_VALUE / Math.max(1, gain) ? Long.MAX_VALUE : amount * gain;
  }

  @Override
  public int compareTo(VictimCost other) {
    for (int i = 0; i < terms.size(); i++) {
      int order = Long.compare(amounts.get(i), other.amounts.get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }
}
