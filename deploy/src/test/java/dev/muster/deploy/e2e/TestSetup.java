package dev.muster.deploy.e2e;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The control plane that a test needs.
///
/// @param test names the folder `target/e2e/<test>` of the log files
/// @param scheduler a KubeSchedulerConfiguration in YAML; the fixture puts its own kubeconfig in
///   and turns leader election off
/// @param policy the legacy Policy file that an old kube-scheduler is also given, in JSON; empty
///   for a kube-scheduler of the control plane's own release
/// @param controllers whether the kube-controller-manager runs (jobs, deployments, replica sets,
///   stateful sets, disruption, garbage collection, namespaces, service accounts)
/// @param users users in addition to the admin
/// @param flags further flags by component, for example a feature gate
public record TestSetup(
    String test,
    String scheduler,
    String policy,
    boolean controllers,
    List<User> users,
    Map<ControlPlaneComponent, List<String>> flags) {

  /// The stock scheduler without any extender.
  public static final String STOCK_SCHEDULER =
      """
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: KubeSchedulerConfiguration
      """;

  /// Options of an old scheduler that its Policy file cannot express.
  private static final String LEGACY_SCHEDULER =
      """
      apiVersion: kubescheduler.config.k8s.io/v1beta1
      kind: KubeSchedulerConfiguration
      percentageOfNodesToScore: 100
      podMaxBackoffSeconds: 1
      """;

  /// A user that the API server knows by a fixed bearer token.
  ///
  /// @param groups for example `system:masters`; may be empty
  public record User(String token, String name, List<String> groups) {
    public User {
      groups = List.copyOf(groups);
    }
  }

  public TestSetup {
    users = List.copyOf(users);
    flags = Map.copyOf(flags);
  }

  /// A stock scheduler, simulated kubelets, no controllers.
  public static TestSetup of(Class<?> test) {
    return new TestSetup(test.getSimpleName(), STOCK_SCHEDULER, "", false, List.of(), Map.of());
  }

  public TestSetup withScheduler(String configuration) {
    return new TestSetup(test, configuration, policy, controllers, users, flags);
  }

  /// An old kube-scheduler in place of the control plane's own, configured by a Policy file.
  public TestSetup withLegacyPolicy(String json) {
    return new TestSetup(test, LEGACY_SCHEDULER, json, controllers, users, flags);
  }

  /// Whether the kube-scheduler is an old one.
  public boolean isLegacy() {
    return !policy.isEmpty();
  }

  public TestSetup withControllers() {
    return new TestSetup(test, scheduler, policy, true, users, flags);
  }

  /// Adds a user; give it rights with RBAC objects.
  public TestSetup withUser(User user) {
    var more = new ArrayList<>(users);
    more.add(user);
    return new TestSetup(test, scheduler, policy, controllers, more, flags);
  }

  /// Adds a flag such as `--feature-gates=GenericWorkload=true` to one component.
  public TestSetup withFlag(ControlPlaneComponent component, String flag) {
    var more = new EnumMap<ControlPlaneComponent, List<String>>(ControlPlaneComponent.class);
    more.putAll(flags);
    var list = new ArrayList<>(flags.getOrDefault(component, List.of()));
    list.add(flag);
    more.put(component, List.copyOf(list));
    return new TestSetup(test, scheduler, policy, controllers, users, more);
  }
}
