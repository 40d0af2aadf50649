package dev.muster.server.kube.parse;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The part of a field that is read.
///
/// Tenants write objects of 1.5 MB, and an entry of five bytes becomes an object of a hundred. So
/// sizes are those in memory, as [BoundedParser] estimates them. Each is above the size of what an
/// object within its budget has there.
///
/// @param bytes estimated bytes of the whole field
/// @param text characters of each text, of which more is not read
record FieldAllowance(long bytes, int text) {
  /// Characters of a text. The longest that counts is a CEL expression of 10 KiB.
  private static final int TEXT = 12 << 10;

  /// Characters of names and kinds, of which Kubernetes allows 253.
  private static final int NAMES = 256;

  private static final FieldAllowance SHORT = kib(4);

  /// For fields of which the reader keeps a bounded part itself.
  private static final FieldAllowance UNCUT = new FieldAllowance(Long.MAX_VALUE, TEXT);

  private static final FieldAllowance WHOLE = new FieldAllowance(Long.MAX_VALUE, Integer.MAX_VALUE);

  private static final Map<String, FieldAllowance> BY_FIELD =
      Stream.of(
              // The names and the version of an object are read whatever else it has.
              Map.entry("apiVersion", SHORT),
              Map.entry("kind", SHORT),
              Map.entry("metadata.name", SHORT),
              Map.entry("metadata.namespace", SHORT),
              Map.entry("metadata.uid", SHORT),
              Map.entry("metadata.resourceVersion", SHORT),
              Map.entry("metadata.creationTimestamp", SHORT),
              Map.entry("metadata.deletionTimestamp", SHORT),
              Map.entry("metadata.deletionGracePeriodSeconds", SHORT),
              Map.entry("spec.nodeName", SHORT),
              Map.entry("spec.priority", SHORT),
              Map.entry("spec.schedulerName", SHORT),
              Map.entry("status.phase", SHORT),
              Map.entry("metadata.labels", kib(320)),
              Map.entry("metadata.ownerReferences", new FieldAllowance(192 << 10, NAMES)),
              // Kubernetes allows 256 KiB, with Muster's own records.
              Map.entry("metadata.annotations", WHOLE),
              Map.entry("spec.affinity", kib(768)),
              // ContainerReaders adds up the containers of which there are too many.
              Map.entry("spec.containers", UNCUT),
              Map.entry("spec.initContainers", UNCUT),
              Map.entry("spec.devices", kib(256)),
              Map.entry("spec.nodeSelector", kib(128)),
              Map.entry("spec.overhead", kib(64)),
              Map.entry("spec.resourceClaims", kib(64)),
              Map.entry("spec.resources", UNCUT),
              Map.entry("spec.spec", kib(256)), // of a ResourceClaimTemplate
              Map.entry("spec.tolerations", kib(128)),
              Map.entry("status.allocation", kib(128)),
              Map.entry("status.completedIndexes", WHOLE),
              Map.entry("status.containerStatuses", kib(2_048)),
              Map.entry("status.failedIndexes", WHOLE),
              Map.entry("status.initContainerStatuses", kib(2_048)),
              Map.entry("status.reservedFor", kib(256)))
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

  /// True if the field has an allowance of its own. All others share one.
  static boolean isOwn(String field) {
    return BY_FIELD.containsKey(field);
  }

  static FieldAllowance of(String field, long rest) {
    return BY_FIELD.getOrDefault(field, new FieldAllowance(rest, TEXT));
  }

  private static FieldAllowance kib(long kib) {
    return new FieldAllowance(kib << 10, TEXT);
  }
}
