package dev.muster.server.kube.budget;

import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectTrimmer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/// The memory of the large objects of some kinds, by namespace.
///
/// *Goals:* the objects of all tenants take a bounded part of the heap, however large they are. A
/// namespace with few large objects has space for them, whatever others have.
///
/// *Algorithm:* of each object, the estimated bytes above a base count. A namespace may take as
/// many as stay free after that (dynamic thresholds: Choudhury & Hahne 1998). So the sum never
/// exceeds the limit by much. An object keeps its place until it is deleted or has grown by more
/// than [#GROWTH]. Then its earlier bytes count on, since what was read of them may stay in force.
///
/// *Example:* of 300 MiB, one namespace takes at most 150 MiB, and then another one 75 MiB.
public final class LargeObjects {
  /// Estimated bytes of a pod or PodGroup that do not count. Pods of normal size have 5 to 20 KiB.
  public static final int SMALL = 32 * 1024;

  /// Estimated bytes of an owner or claim that do not count. Owners with one or two roles have 6 to
  /// 12 KiB, and a claim of 16 GPUs has 15 KiB.
  public static final int SMALL_OWNER = 16 * 1024;

  /// Bytes by which an object may grow in its place: Kubernetes adds conditions to a pod.
  static final int GROWTH = 8 * 1024;

  /// Field of the metadata of an object for which there is no space, with a sentence for its owner.
  private static final String REFUSAL = "muster.dev/no-space";

  /// Estimated bytes of an annotation, beside its characters.
  private static final int ANNOTATION = 128;

  private final String what;
  private final long limit;
  private final long base;
  private final ToLongFunction<HasMetadata> size;
  private final Map<String, Counted> objects = new HashMap<>();
  private final Map<String, Long> byNamespace = new HashMap<>();
  private long total;

  /// @param first bytes when the object got its place
  private record Counted(String namespace, long bytes, long first) {}

  private LargeObjects(String what, long limit, long base, ToLongFunction<HasMetadata> size) {
    this.what = what;
    this.limit = limit;
    this.base = base;
    this.size = size;
  }

  /// @param limit estimated bytes of all large objects together
  /// @param base estimated bytes of an object that do not count
  public LargeObjects(long limit, long base) {
    this(
        "large objects",
        limit,
        base,
        object -> ObjectTrimmer.bytes(object) + annotations(object, _ -> true));
  }

  /// Creates the memory of large objects without Muster's records on them, which grow while a gang
  /// starts. Others could otherwise take the space that this needs.
  public static LargeObjects withoutRecords(long limit) {
    return new LargeObjects(
        "large objects",
        limit,
        SMALL,
        object ->
            ObjectTrimmer.bytes(object)
                + annotations(object, key -> !MetadataBudget.RECORDS.contains(key)));
  }

  /// Creates the memory of Muster's records on objects. Tenants can forge them without the records
  /// policy.
  public static LargeObjects ofRecords(long limit) {
    return new LargeObjects(
        "large records of Muster",
        limit,
        SMALL,
        object -> annotations(object, MetadataBudget.RECORDS::contains));
  }

  /// Counts the object in place of an earlier one with this key. False if there is no space for it.
  /// Then its [ObjectBudget#excess] says so.
  public synchronized boolean takes(String key, HasMetadata object) {
    long bytes = size.applyAsLong(object) - base;
    Counted before = objects.get(key);
    remove(key);
    if (bytes <= 0) {
      return true;
    }
    boolean stays = before != null && bytes <= before.first() + GROWTH;
    String namespace = Objects.requireNonNullElse(object.getMetadata().getNamespace(), "");
    long sum = byNamespace.getOrDefault(namespace, 0L) + bytes;
    if (!stays && sum > limit - total - bytes) {
      object.getMetadata().setAdditionalProperty(REFUSAL, refusal(namespace, bytes));
      if (before != null) {
        add(key, before);
      }
      return false;
    }
    add(key, new Counted(namespace, bytes, stays && before != null ? before.first() : bytes));
    return true;
  }

  private void add(String key, Counted object) {
    objects.put(key, object);
    byNamespace.merge(object.namespace(), object.bytes(), Long::sum);
    total += object.bytes();
  }

  private String refusal(String namespace, long bytes) {
    long taken = byNamespace.getOrDefault(namespace, 0L);
    long most = (taken + limit - total) / 2;
    return "The %s of namespace %s take %d MiB of Muster's memory; the limit is %d MiB now, and this one needs %d KiB. Shorten its spec, labels and annotations, or delete others and create it again."
        .formatted(what, namespace, taken >> 20, most >> 20, bytes >> 10);
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

  private static long annotations(HasMetadata object, Predicate<String> counts) {
    long bytes = 0;
    for (Map.Entry<String, String> said : ObjectMetadata.annotations(object).entrySet()) {
      if (counts.test(said.getKey())) {
        String value = Objects.requireNonNullElse(said.getValue(), "");
        bytes += ANNOTATION + said.getKey().length() + value.length();
      }
    }
    return bytes;
  }

  /// Returns the sentence of an object for which there is no space.
  public static Optional<String> refusal(HasMetadata object) {
    return object.getMetadata().getAdditionalProperties().get(REFUSAL) instanceof String refusal
        ? Optional.of(refusal)
        : Optional.empty();
  }
}
