package dev.muster.server.kube;

import dev.muster.core.gang.MemberId;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Objects;

/// Which object something is about; unknown parts are empty.
public record ObjectRef(String apiVersion, String kind, String namespace, String name, String uid) {
  /// The reference to an object as the API server gave it.
  static ObjectRef to(HasMetadata object) {
    ObjectMeta meta = object.getMetadata();
    return new ObjectRef(
        said(object.getApiVersion()),
        said(object.getKind()),
        said(meta.getNamespace()),
        said(meta.getName()),
        said(meta.getUid()));
  }

  /// The reference to a pod.
  static ObjectRef to(MemberId pod) {
    return new ObjectRef("v1", "Pod", pod.namespace(), pod.name(), pod.uid());
  }

  private static String said(String value) {
    return Objects.requireNonNullElse(value, "");
  }

  @Override
  public String toString() {
    return kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
  }
}
