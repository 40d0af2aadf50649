package com.example.deadlines;

import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Durations;
import dev.muster.policy.preemption.PreemptionPolicyProvider;
import java.util.SortedMap;

/// Provides the policy `deadlines`.
///
/// Its only parameter, `margin`, is the time before its deadline during which a gang is spared;
/// default `2d`.
public final class DeadlineProvider implements PreemptionPolicyProvider {
  private static final String MARGIN = "margin";

  @Override
  public String name() {
    return "deadlines";
  }

  @Override
  public PreemptionPolicy policy(PreemptionPolicy file, SortedMap<String, String> parameters) {
    for (String parameter : parameters.keySet()) {
      if (!parameter.equals(MARGIN)) {
        throw new IllegalArgumentException(
            "\"" + parameter + "\" is not a parameter of deadlines. Did you mean margin?");
      }
    }
    return new DeadlinePolicy(file, Durations.parse(parameters.getOrDefault(MARGIN, "2d")));
  }
}
