package dev.muster.server.kube.owner.kind;

import dev.muster.server.kube.client.ObjectMetadata;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/// A pod as far as it states to which owner it belongs.
///
/// @param namespace its namespace
/// @param labels its labels
/// @param annotations its annotations
/// @param controllerKind kind of the object that created it; empty if there is none
/// @param controllerName name of that object
/// @param controllerUid uid of that object
/// @param hasNode true if it has a node
public record OwnedPod(
    String namespace,
    Map<String, String> labels,
    Map<String, String> annotations,
    String controllerKind,
    String controllerName,
    String controllerUid,
    boolean hasNode) {

  /// Creates a pod without a node.
  public OwnedPod(
      String namespace,
      Map<String, String> labels,
      Map<String, String> annotations,
      String controllerKind,
      String controllerName,
      String controllerUid) {
    this(namespace, labels, annotations, controllerKind, controllerName, controllerUid, false);
  }

  /// Returns the pod as read from the API server.
  public static OwnedPod of(HasMetadata pod) {
    // A reference without values is no default: its kind is not empty.
    Optional<OwnerReference> controller =
        Objects.requireNonNullElseGet(
                pod.getMetadata().getOwnerReferences(), List::<OwnerReference>of)
            .stream()
            .filter(owner -> Objects.requireNonNullElse(owner.getController(), false))
            .findFirst();
    return new OwnedPod(
        Objects.requireNonNullElse(pod.getMetadata().getNamespace(), ""),
        ObjectMetadata.labels(pod),
        ObjectMetadata.annotations(pod),
        controller.map(OwnerReference::getKind).orElse(""),
        controller.map(OwnerReference::getName).orElse(""),
        controller.map(OwnerReference::getUid).orElse(""),
        pod instanceof Pod whole
            && !Objects.requireNonNullElse(whole.getSpec().getNodeName(), "").isEmpty());
  }

  /// Returns the label, or the annotation of this key; empty if both are absent.
  String said(String key) {
    return labels.getOrDefault(key, annotations.getOrDefault(key, "")).strip();
  }

  /// Returns the label; empty if it is absent. Unlike an annotation, it is short.
  String label(String key) {
    return labels.getOrDefault(key, "");
  }

  /// Returns the number in the label or annotation, if it is one.
  OptionalInt number(String key) {
    String text = said(key);
    return text.matches("\\d{1,6}") ? OptionalInt.of(Integer.parseInt(text)) : OptionalInt.empty();
  }
}
