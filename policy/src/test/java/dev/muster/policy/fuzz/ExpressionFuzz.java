package dev.muster.policy.fuzz;

import dev.muster.policy.preemption.expression.ExpressionCompiler;
import dev.muster.policy.preemption.expression.ExpressionType;
import java.nio.charset.StandardCharsets;

/// Fuzz target: CEL expressions of policies. A text without faults compiles.
public final class ExpressionFuzz {
  private ExpressionFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    for (ExpressionType type : ExpressionType.values()) {
      if (ExpressionCompiler.check(text, type).isEmpty()) {
        var _ = ExpressionCompiler.compile(text, type);
      }
    }
  }
}
