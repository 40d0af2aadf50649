package dev.muster.policy.preemption;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Durations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// The settings of a policy beside its rules and protections, by their field names.
public final class PolicySettings {
  private PolicySettings() {}

  /// Returns a line for each setting that differs between the two policies.
  public static List<String> changes(PreemptionPolicy before, PreemptionPolicy after) {
    List<String> changes = new ArrayList<>();
    SequencedMap<String, String> now = of(after);
    of(before)
        .forEach((name, was) -> {
          String is = now.getOrDefault(name, was);
          if (!was.equals(is)) {
            changes.add("%s: %s -> %s".formatted(name, was, is));
          }
        });
    return changes;
  }

  private static SequencedMap<String, String> of(PreemptionPolicy policy) {
    SequencedMap<String, String> settings = new LinkedHashMap<>();
    settings.put("mode", mode(policy.mode()));
    PreemptionLimits limits = policy.limits();
    settings.put("limits.maxVictims", String.valueOf(limits.victims()));
    settings.put(
        "limits.maxVictimGpus",
        limits.victimGpus() == Integer.MAX_VALUE
            ? "not limited"
            : String.valueOf(limits.victimGpus()));
    settings.put("limits.evictionsPerHour", String.valueOf(limits.perHour()));
    settings.put("limits.cooldown", Durations.print(limits.cooldown()));
    settings.put("victimOrder", policy.terms().stream().map(CostTerm::name).toList().toString());
    FilePolicy.behind(policy).ifPresent(file -> put(file.fields(), settings));
    return settings;
  }

  private static void put(PolicyFields fields, SequencedMap<String, String> settings) {
    var most = fields.limits().maxPreemptions();
    settings.put(
        "limits.maxPreemptions", "%d per %s".formatted(most.count(), Durations.print(most.per())));
    settings.put("cost", fields.cost().map(PolicySettings::cost).orElse("none"));
    settings.put("delay", fields.delay());
    settings.put("notice", Durations.print(fields.notice()));
    settings.put("grace", fields.grace().map(Durations::print).orElse("what the pods say"));
    settings.put(
        "plugin", fields.plugin().map(one -> one.name() + " " + one.parameters()).orElse("none"));
  }

  private static String cost(List<PolicyFields.CostPart> parts) {
    return String.join(
        " + ",
        parts.stream()
            .map(part ->
                "%d * %s"
                    .formatted(
                        part.weight(),
                        part.expression()
                            .map("(%s)"::formatted)
                            .or(() -> part.by().map(by -> by.term().name()))
                            .orElse("")))
            .toList());
  }

  private static String mode(PreemptionPolicy.Mode mode) {
    return switch (mode) {
      case ENFORCE -> "Enforce";
      case SHADOW -> "Shadow";
      case OFF -> "Off";
    };
  }
}
