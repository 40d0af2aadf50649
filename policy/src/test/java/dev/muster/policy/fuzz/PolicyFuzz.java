package dev.muster.policy.fuzz;

import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// Fuzz target: a preemption policy. Every input is a policy, or has problems.
public final class PolicyFuzz {
  private static final PolicyLoader LOADER = new PolicyLoader(Plugins.NONE, _ -> {});

  private PolicyFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    SequencedMap<String, byte[]> contents = new LinkedHashMap<>();
    contents.put("policy.yaml", input);
    var _ = LOADER.load(new PolicySources(contents, List.of()));
  }
}
