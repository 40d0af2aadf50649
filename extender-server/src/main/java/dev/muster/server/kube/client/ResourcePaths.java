package dev.muster.server.kube.client;

import dev.muster.core.decision.MessageLimit;
import dev.muster.core.gang.MemberId;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.regex.Pattern;

/// Paths of objects in namespaces on the API server.
///
/// A name must not change which object or call a path means. So each method throws an
/// [IllegalArgumentException] for a text that no object can have as its name.
public final class ResourcePaths {
  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9]([-._A-Za-z0-9]{0,251}[A-Za-z0-9])?");

  private static final String IN = "/namespaces/";

  private ResourcePaths() {}

  /// True if a namespace can have this name: a DNS label.
  public static boolean isNamespace(String name) {
    return NAMESPACE.matcher(name).matches();
  }

  /// Returns the path of all objects of a kind in the namespace.
  ///
  /// @param version `v1`, or the group and the version
  /// @param plural kind in the plural, such as `pods`
  public static String in(String version, String namespace, String plural) {
    return "/%s/%s/namespaces/%s/%s"
        .formatted(
            version.indexOf('/') < 0 ? "api" : "apis",
            version,
            segment(namespace, isNamespace(namespace)),
            plural);
  }

  /// Returns the namespace in a path; empty if it has none.
  static String namespace(String path) {
    int at = path.indexOf(IN);
    int from = at + IN.length();
    int to = at < 0 ? -1 : path.indexOf('/', from);
    return to < 0 ? "" : path.substring(from, to);
  }

  /// Returns the path of the object with this name.
  ///
  /// @param all path of all objects of its kind in its namespace
  public static String named(String all, String name) {
    return all + "/" + name(name);
  }

  /// Returns the name, which has no character with a meaning in a path or a query.
  public static String name(String name) {
    return segment(name, NAME.matcher(name).matches());
  }

  private static String segment(String text, boolean isValid) {
    if (!isValid) {
      throw new IllegalArgumentException(
          MessageLimit.cut("'%s' is no name of an object.".formatted(text)));
    }
    return text;
  }

  public static String of(GenericKubernetesResource group) {
    return of(ObjectRef.to(group));
  }

  /// Returns the path of this PodGroup.
  public static String of(ObjectRef group) {
    return named(in(group.apiVersion(), group.namespace(), PodGroupDialect.PLURAL), group.name());
  }

  public static String status(GenericKubernetesResource group) {
    return of(group) + "/status";
  }

  public static String of(MemberId pod) {
    return named(in("v1", pod.namespace(), "pods"), pod.name());
  }

  public static String status(MemberId pod) {
    return of(pod) + "/status";
  }

  /// Returns the path of the pod's eviction.
  public static String eviction(MemberId pod) {
    return of(pod) + "/eviction";
  }
}
