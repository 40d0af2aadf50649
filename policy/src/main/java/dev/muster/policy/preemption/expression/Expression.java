package dev.muster.policy.preemption.expression;

import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime.Program;
import java.time.Duration;
import java.util.Map;

/// A compiled expression; may be evaluated by several threads.
///
/// @param text the text as written
/// @param program the compiled text
public record Expression(String text, Program program) {
  /// Evaluates a condition.
  public boolean holds(Map<String, Object> variables) throws Unanswered {
    return value(variables, Boolean.class);
  }

  /// Evaluates an amount.
  public long amount(Map<String, Object> variables) throws Unanswered {
    return value(variables, Long.class);
  }

  /// Evaluates a delay.
  public Duration delay(Map<String, Object> variables) throws Unanswered {
    return value(variables, Duration.class);
  }

  private <T> T value(Map<String, Object> variables, Class<T> type) throws Unanswered {
    try {
      return type.cast(program.eval(variables));
    } catch (CelEvaluationException failed) {
      throw new Unanswered(text, ExpressionIssue.reason(failed));
    } catch (RuntimeException failed) { // a failing expression must never preempt a gang
      throw new Unanswered(text, "it has no value of the type that is wanted here");
    }
  }

  /// Thrown if the expression has no value for these gangs.
  public static final class Unanswered extends Exception {
    private final String expression;

    public Unanswered(String expression, String reason) {
      super(reason, null, false, false);
      this.expression = expression;
    }

    public String expression() {
      return expression;
    }

    public String reason() {
      return String.valueOf(getMessage());
    }
  }
}
