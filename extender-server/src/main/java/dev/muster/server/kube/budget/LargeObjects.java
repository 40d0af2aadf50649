package dev.muster.server.kube.budget;

import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The memory of the large objects of some kinds, by namespace.
///
/// *Goals:* the objects of all tenants take a bounded part of the heap, however large they are. A
/// namespace with few large objects has space for them, whatever others have.
///
/// *Algorithm:* of each object, the estimated bytes above a base count. A namespace may take as
/// many as stay free after that (dynamic thresholds: Choudhury & Hahne 1998). So the sum never
/// exceeds the limit by much. An object keeps its place until it is deleted or has grown by more
/// than [#GROWTH] since it was smallest. Then its earlier bytes count on, since what was read of
/// them may stay in force.
///
/// *Example:* of 300 MiB, one namespace takes at most 150 MiB, and then another one 75 MiB.
public final class LargeObjects {
  private static final Logger log = LoggerFactory.getLogger(LargeObjects.class);

  /// Muster's records that name each pod of a gang.
  public static final Set<String> LONG_RECORDS =
      Set.of(WellKnownNames.RESERVATION, WellKnownNames.VICTIMS);

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

  private final boolean ofRecords;
  private final LogThrottle throttle = new LogThrottle();
  private final long limit;
  private final long base;
  private final ToLongFunction<HasMetadata> size;
  private final Map<String, Counted> objects = new HashMap<>();
  private final Map<String, Long> byNamespace = new HashMap<>();
  private long total;

  /// @param least the fewest bytes of the object since it got its place
  private record Counted(String namespace, long bytes, long least) {}

  private LargeObjects(boolean ofRecords, long limit, long base, ToLongFunction<HasMetadata> size) {
    this.ofRecords = ofRecords;
    this.limit = limit;
    this.base = base;
    this.size = size;
  }

  /// @param limit estimated bytes of all large objects together
  /// @param base estimated bytes of an object that do not count
  public LargeObjects(long limit, long base) {
    this(
        false, limit, base, object -> ObjectTrimmer.bytes(object) + annotations(object, _ -> true));
  }

  /// Creates the memory of large objects without Muster's records on them, which grow while a gang
  /// starts. Others could otherwise take the space that this needs.
  public static LargeObjects withoutRecords(long limit) {
    return new LargeObjects(
        false,
        limit,
        SMALL,
        object ->
            ObjectTrimmer.bytes(object)
                + annotations(object, key -> !MetadataBudget.RECORDS.contains(key)));
  }

  /// Creates the memory of Muster's records on objects. Tenants can forge them without the records
  /// policy. So an object whose records have no space stays valid, and the [#LONG_RECORDS] are
  /// removed from it: its owner could not make space.
  public static LargeObjects ofRecords(long limit) {
    return new LargeObjects(
        true, limit, SMALL, object -> annotations(object, MetadataBudget.RECORDS::contains));
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
    boolean stays = before != null && bytes <= before.least() + GROWTH;
    String namespace = Objects.requireNonNullElse(object.getMetadata().getNamespace(), "");
    long sum = byNamespace.getOrDefault(namespace, 0L) + bytes;
    if (!stays && sum > limit - total - bytes) {
      return ofRecords ? stripped(key, object, bytes) : refused(key, object, bytes, before);
    }
    long least = stays && before != null ? Math.min(before.least(), bytes) : bytes;
    add(key, new Counted(namespace, bytes, least));
    return true;
  }

  private boolean refused(String key, HasMetadata object, long bytes, @Nullable Counted before) {
    String refusal =
        "The large objects of namespace %s. Shorten its spec, labels and annotations, or delete others and create it again."
            .formatted(shortage(object, bytes));
    object.getMetadata().setAdditionalProperty(REFUSAL, refusal);
    if (before != null) {
      add(key, before);
    }
    return false;
  }

  /// Removes the long records. Nothing of them, or of earlier ones, is in force afterwards.
  private boolean stripped(String key, HasMetadata object, long bytes) {
    Map<String, String> kept = new LinkedHashMap<>(ObjectMetadata.annotations(object));
    kept.keySet().removeAll(LONG_RECORDS);
    object.getMetadata().setAnnotations(kept);
    if (throttle.isNew("")) {
      log.warn(
          "Muster's records on the PodGroup {} are not read, so a restart decides its start or preemption again: the large records of namespace {}. The records policy prevents forged ones.",
          key,
          shortage(object, bytes));
    }
    return true;
  }

  private void add(String key, Counted object) {
    objects.put(key, object);
    byNamespace.merge(object.namespace(), object.bytes(), Long::sum);
    total += object.bytes();
  }

  private String shortage(HasMetadata object, long bytes) {
    String namespace = Objects.requireNonNullElse(object.getMetadata().getNamespace(), "");
    long taken = byNamespace.getOrDefault(namespace, 0L);
    long most = (taken + limit - total) / 2;
    return "%s take %d MiB of Muster's memory; the limit is %d MiB now, and this one needs %d KiB"
        .formatted(namespace, taken >> 20, most >> 20, bytes >> 10);
  }

  /// Returns the estimated bytes that count now.
  synchronized long bytes() {
    return total;
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
