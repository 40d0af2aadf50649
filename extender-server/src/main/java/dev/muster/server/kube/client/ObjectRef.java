package dev.muster.server.kube.client;

import dev.muster.core.gang.MemberId;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Comparator;
import java.util.Objects;

/// A reference to a Kubernetes object; unknown parts are empty.
public record ObjectRef(String apiVersion, String kind, String namespace, String name, String uid)
    implements Comparable<ObjectRef> {
  private static final Comparator<ObjectRef> ORDER =
      Comparator.comparing(ObjectRef::namespace)
          .thenComparing(ObjectRef::name)
          .thenComparing(ObjectRef::kind)
          .thenComparing(ObjectRef::apiVersion)
          .thenComparing(ObjectRef::uid);

  /// Returns the reference to an object as read from the API server.
  public static ObjectRef to(HasMetadata object) {
    ObjectMeta meta = object.getMetadata();
    return new ObjectRef(
        said(object.getApiVersion()),
        said(object.getKind()),
        said(meta.getNamespace()),
        said(meta.getName()),
        said(meta.getUid()));
  }

  /// Returns the reference to a pod.
  public static ObjectRef to(MemberId pod) {
    return new ObjectRef("v1", "Pod", pod.namespace(), pod.name(), pod.uid());
  }

  private static String said(String value) {
    return Objects.requireNonNullElse(value, "");
  }

  /// Orders by namespace, name, kind, version, uid.
  @Override
  public int compareTo(ObjectRef other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
  }
}
