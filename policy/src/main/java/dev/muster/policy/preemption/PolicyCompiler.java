package dev.muster.policy.preemption;

import dev.muster.policy.file.Durations;
import dev.muster.policy.preemption.PolicyFields.CostPart;
import dev.muster.policy.preemption.expression.Expression;
import dev.muster.policy.preemption.expression.ExpressionCompiler;
import dev.muster.policy.preemption.expression.ExpressionType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Compiles a policy in which [PolicyRules] has found no fault.
public final class PolicyCompiler {
  private PolicyCompiler() {}

  public static FilePolicy.Parts compile(PolicyFields fields) {
    List<PolicyRule> rules =
        fields.rules().stream().map(rule -> new PolicyRule(rule, condition(rule.when()))).toList();
    List<Protection> protections = new ArrayList<>();
    for (PolicyFields.Protect protect : fields.protect()) {
      protections.add(new Protection.Entry(protect, condition(protect.when())));
    }
    protections.add(new Protection.Cap(fields.limits().maxPreemptions()));
    boolean fixed = isDuration(fields.delay());
    return new FilePolicy.Parts(
        rules,
        List.copyOf(protections),
        new VictimCosts(fields.victimOrder(), cost(fields)),
        fixed
            ? Optional.empty()
            : Optional.of(ExpressionCompiler.compile(fields.delay(), ExpressionType.DELAY)),
        fixed ? Durations.parse(fields.delay()) : Duration.ZERO);
  }

  /// True if a delay is a duration rather than an expression: it begins with a digit.
  static boolean isDuration(String delay) {
    return !delay.isEmpty() && Character.isDigit(delay.charAt(0));
  }

  private static Optional<Expression> condition(Optional<String> text) {
    return text.map(when -> ExpressionCompiler.compile(when, ExpressionType.CONDITION));
  }

  private static List<VictimCosts.WeightedCost> cost(PolicyFields fields) {
    return fields.cost().orElse(List.of()).stream().map(PolicyCompiler::part).toList();
  }

  private static VictimCosts.WeightedCost part(CostPart part) {
    return new VictimCosts.WeightedCost(
        part.by(),
        part.expression().map(text -> ExpressionCompiler.compile(text, ExpressionType.AMOUNT)),
        part.weight());
  }
}
