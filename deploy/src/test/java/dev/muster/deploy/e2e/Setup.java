package dev.muster.deploy.e2e;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a test wants of its control plane.
 *
 * @param test names the folder {@code target/e2e/<test>} of the log files
 * @param scheduler a KubeSchedulerConfiguration in YAML; the fixture puts its own kubeconfig in and
 *     turns leader election off
 * @param controllers whether the kube-controller-manager runs (jobs, deployments, replica sets,
 *     stateful sets, disruption, garbage collection, namespaces, service accounts)
 * @param users further users besides the admin
 * @param flags further flags by component, for example a feature gate
 */
public record Setup(
    String test,
    String scheduler,
    boolean controllers,
    List<User> users,
    Map<Component, List<String>> flags) {

  /** The stock scheduler without any extender. */
  public static final String STOCK_SCHEDULER =
      """
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: KubeSchedulerConfiguration
      """;

  /**
   * A user that the API server knows by a fixed bearer token.
   *
   * @param groups for example {@code system:masters}; may be empty
   */
  public record User(String token, String name, List<String> groups) {
    public User {
      groups = List.copyOf(groups);
    }
  }

  public Setup {
    users = List.copyOf(users);
    flags = Map.copyOf(flags);
  }

  /** A stock scheduler, simulated kubelets, no controllers. */
  public static Setup of(Class<?> test) {
    return new Setup(test.getSimpleName(), STOCK_SCHEDULER, false, List.of(), Map.of());
  }

  public Setup withScheduler(String configuration) {
    return new Setup(test, configuration, controllers, users, flags);
  }

  public Setup withControllers() {
    return new Setup(test, scheduler, true, users, flags);
  }

  /** Adds a user; give it rights with RBAC objects. */
  public Setup withUser(User user) {
    var more = new ArrayList<>(users);
    more.add(user);
    return new Setup(test, scheduler, controllers, more, flags);
  }

  /** Adds a flag such as {@code --feature-gates=GenericWorkload=true} to one component. */
  public Setup withFlag(Component component, String flag) {
    var more = new EnumMap<Component, List<String>>(Component.class);
    more.putAll(flags);
    var list = new ArrayList<>(flags.getOrDefault(component, List.of()));
    list.add(flag);
    more.put(component, List.copyOf(list));
    return new Setup(test, scheduler, controllers, users, more);
  }
}
