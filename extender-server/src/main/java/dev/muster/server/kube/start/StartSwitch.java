package dev.muster.server.kube.start;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGroup;
import java.util.Optional;
import java.util.regex.Pattern;

/// The start switch of a gang is a native PodGroup that exists only while its pods may start.
///
/// The admission writes its name into `spec.schedulingGroup` of new pods. kube-scheduler keeps
/// these pods out of its queue, without any write, until a PodGroup of that name exists. So one
/// write starts all of them, and deleting the PodGroup keeps the unbound ones out again.
///
/// The pods of one PodGroup need equal priorities from Kubernetes 1.37 on. So the name has the
/// priority, and a gang with two priorities has two switches.
///
/// Example: `train.p0.gang.muster.dev` for the pods of `train` with priority 0.
public final class StartSwitch {
  /// Names of users do not end so, by the rule that nobody uses the domain of others.
  private static final String SUFFIX = ".gang.muster.dev";

  private static final int LONGEST = 253;
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private StartSwitch() {}

  /// Returns the name of the switch; empty if the gang has a name that no PodGroup can have.
  public static Optional<String> name(String gang, int priority) {
    String name = gang + ".p" + priority + SUFFIX;
    return name.length() <= LONGEST && NAME.matcher(name).matches()
        ? Optional.of(name)
        : Optional.empty();
  }

  /// True if a native PodGroup of this name is a switch, and declares no gang.
  public static boolean isOne(String podGroup) {
    return podGroup.endsWith(SUFFIX);
  }

  /// Returns the name of the gang whose pods have the switch of this name.
  public static Optional<String> gang(String podGroup) {
    return isOne(podGroup)
        ? Optional.of(podGroup.substring(0, podGroup.length() - SUFFIX.length()))
            .filter(start -> start.lastIndexOf(".p") > 0)
            .map(start -> start.substring(0, start.lastIndexOf(".p")))
        : Optional.empty();
  }

  /// Returns the name of the switch for which kube-scheduler keeps the pod.
  public static Optional<String> of(Pod pod) {
    return Optional.ofNullable(pod.getSpec().getSchedulingGroup())
        .map(PodSchedulingGroup::getPodGroupName)
        .filter(StartSwitch::isOne);
  }
}
