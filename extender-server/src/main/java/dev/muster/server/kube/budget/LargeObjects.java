package dev.muster.server.kube.budget;

import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectTrimmer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The memory of the large objects of one kind, by namespace.
///
/// *Goals:* the objects of all tenants take a bounded part of the heap, however many they are. A
/// namespace with few large objects has space for them, whatever others have.
///
/// *Algorithm:* of each object, the estimated bytes above [#SMALL] count. A namespace may take as
/// many as stay free after that (dynamic thresholds: Choudhury & Hahne 1998). So the sum never
/// exceeds the limit by much. An object keeps its place until it is deleted or has grown by more
/// than [#GROWTH].
///
/// *Example:* of 300 MiB, one namespace takes at most 150 MiB, and then another one 75 MiB.
public final class LargeObjects {
  /// Estimated bytes of an object that do not count. Pods of normal size have 5 to 20 KiB.
  static final int SMALL = 32 * 1024;

  /// Bytes by which an object may grow in its place: Kubernetes adds conditions to a pod.
  static final int GROWTH = 8 * 1024;

  /// Field of the metadata of an object for which there is no space, with a sentence for its owner.
  private static final String REFUSAL = "muster.dev/no-space";

  /// Estimated bytes of an annotation, beside its characters.
  private static final int ANNOTATION = 128;

  private final long limit;
  private final Map<String, Counted> objects = new HashMap<>();
  private final Map<String, Long> byNamespace = new HashMap<>();
  private long total;

  /// @param base bytes when the object got its place
  private record Counted(String namespace, long bytes, long base) {}

  /// @param limit estimated bytes of all large objects together
  public LargeObjects(long limit) {
    this.limit = limit;
  }

  /// Counts the object in place of an earlier one with this key. False if there is no space for it.
  /// Then it counts nothing, and its [ObjectBudget#excess] says so.
  public synchronized boolean takes(String key, HasMetadata object) {
    long bytes = bytes(object) - SMALL;
    Counted before = objects.get(key);
    remove(key);
    if (bytes <= 0) {
      return true;
    }
    boolean stays = before != null && bytes <= before.base() + GROWTH;
    String namespace = Objects.requireNonNullElse(object.getMetadata().getNamespace(), "");
    long sum = byNamespace.getOrDefault(namespace, 0L) + bytes;
    if (!stays && sum > limit - total - bytes) {
      object.getMetadata().setAdditionalProperty(REFUSAL, refusal(namespace, bytes));
      return false;
    }
    objects.put(
        key, new Counted(namespace, bytes, stays && before != null ? before.base() : bytes));
    byNamespace.put(namespace, sum);
    total += bytes;
    return true;
  }

  private String refusal(String namespace, long bytes) {
    long taken = byNamespace.getOrDefault(namespace, 0L);
    long most = (taken + limit - total) / 2;
    return "The large objects of namespace %s take %d MiB of Muster's memory; the limit is %d MiB now, and this one needs %d KiB. Shorten its affinity, labels and annotations, or delete others and create it again."
        .formatted(namespace, taken >> 20, most >> 20, bytes >> 10);
  }

  /// Forgets the object with this key.
  public synchronized void remove(String key) {
    Counted gone = objects.remove(key);
    if (gone == null) {
      return;
    }
    total -= gone.bytes();
    byNamespace.compute(
        gone.namespace(),
        (_, sum) -> sum == null || sum <= gone.bytes() ? null : sum - gone.bytes());
  }

  private static long bytes(HasMetadata object) {
    long bytes = ObjectTrimmer.bytes(object);
    for (Map.Entry<String, String> said : ObjectMetadata.annotations(object).entrySet()) {
      String value = Objects.requireNonNullElse(said.getValue(), "");
      bytes += ANNOTATION + said.getKey().length() + value.length();
    }
    return bytes;
  }

  /// Returns the sentence of an object for which there is no space.
  static Optional<String> refusal(HasMetadata object) {
    return object.getMetadata().getAdditionalProperties().get(REFUSAL) instanceof String refusal
        ? Optional.of(refusal)
        : Optional.empty();
  }
}
