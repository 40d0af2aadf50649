package dev.muster.policy.preemption;

import dev.muster.core.victims.CostTerm;
import dev.muster.policy.preemption.expression.Expression;
import dev.muster.policy.preemption.expression.Expression.Unanswered;
import dev.muster.policy.preemption.expression.GangPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Computes the price of preempting a gang, one amount for each comparator of the policy.
///
/// Amounts are capped at [#MOST], so that those of 8,000 victims can be added.
///
/// @param order the comparators
/// @param cost the parts of `cost`
record VictimCosts(List<VictimOrder> order, List<WeightedCost> cost) {
  /// The largest amount.
  static final long MOST = 1L << 50;

  /// The largest weight at which the highest priority stays below [#MOST].
  ///
  /// Other amounts need no such limit, because they count from 0.
  static final long MOST_BY_PRIORITY = MOST / (Integer.MAX_VALUE - (long) Integer.MIN_VALUE);

  VictimCosts {
    order = List.copyOf(order);
    cost = List.copyOf(cost);
  }

  /// A part of the cost: a comparator's amount or an expression's, times the weight.
  record WeightedCost(Optional<VictimOrder> by, Optional<Expression> expression, int weight) {
    long amount(GangPair pair) throws Unanswered {
      long amount =
          expression.isPresent()
              ? expression.get().amount(pair.variables())
              : by.map(order -> order.amount(pair.victim())).orElse(0L);
      if (amount < 0) {
        throw new Unanswered(
            expression.map(Expression::text).orElse(""),
            "it results in %d, which is less than 0".formatted(amount));
      }
      return amount > MOST / weight ? MOST : amount * weight;
    }
  }

  List<CostTerm> terms() {
    return order.stream().map(VictimOrder::term).toList();
  }

  /// Returns the price of the victim, one amount for each term.
  List<Long> of(GangPair pair) throws Unanswered {
    List<Long> price = new ArrayList<>(order.size());
    for (VictimOrder by : order) {
      long amount = by == VictimOrder.COST ? cost(pair) : by.amount(pair.victim());
      price.add(Math.clamp(amount, 0, MOST));
    }
    return price;
  }

  private long cost(GangPair pair) throws Unanswered {
    long sum = 0;
    for (WeightedCost part : cost) {
      sum = Math.min(MOST, sum + part.amount(pair));
    }
    return sum;
  }
}
