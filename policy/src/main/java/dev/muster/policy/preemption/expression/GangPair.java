package dev.muster.policy.preemption.expression;

import dev.muster.core.victims.GangProfile;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A preemptor and a victim at one time, with their view for expressions; made for one ruling.
public final class GangPair {
  private final GangProfile preemptor;
  private final GangProfile victim;
  private final Instant now;
  private @Nullable Map<String, Object> variables;

  public GangPair(GangProfile preemptor, GangProfile victim, Instant now) {
    this.preemptor = preemptor;
    this.victim = victim;
    this.now = now;
  }

  public GangProfile preemptor() {
    return preemptor;
  }

  public GangProfile victim() {
    return victim;
  }

  public Instant now() {
    return now;
  }

  /// Returns the variables of expressions, created when the first one is evaluated.
  public Map<String, Object> variables() {
    Map<String, Object> known = variables;
    if (known == null) {
      known =
          Map.of(
              "preemptor", ExpressionGang.of(preemptor),
              "victim", ExpressionGang.of(victim),
              "now", now);
      variables = known;
    }
    return known;
  }
}
