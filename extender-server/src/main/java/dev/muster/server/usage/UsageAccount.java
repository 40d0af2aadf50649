package dev.muster.server.usage;

import dev.muster.core.cluster.Gang;
import dev.muster.server.kube.client.WellKnownNames;
import java.util.Optional;

/// What GPU time is accounted to, besides its day. Names beyond the limits of [DayAccounts] are
/// empty.
///
/// @param queue queue of the gang
/// @param namespace namespace of the gang
/// @param user value of the label `muster.dev/user`; empty without one
/// @param project value of the label `muster.dev/project`; empty without one
/// @param model GPU model of the node; empty if the node states none
public record UsageAccount(
    String queue, String namespace, String user, String project, String model) {
  static UsageAccount of(Gang gang, String model) {
    return new UsageAccount(
        gang.queue(),
        gang.id().namespace(),
        label(gang, WellKnownNames.USER),
        label(gang, WellKnownNames.PROJECT),
        model);
  }

  private static String label(Gang gang, String key) {
    return gang.spec().flatMap(spec -> Optional.ofNullable(spec.labels().get(key))).orElse("");
  }

  UsageAccount withoutUser() {
    return new UsageAccount(queue, namespace, "", project, model);
  }

  UsageAccount withoutNamespace() {
    return new UsageAccount(queue, "", user, project, model);
  }
}
