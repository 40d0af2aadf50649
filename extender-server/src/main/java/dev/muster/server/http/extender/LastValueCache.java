package dev.muster.server.http.extender;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What was last computed, kept as long as it is asked for the same object again. Images are
/// immutable and replaced often, so one is enough. Threads that race compute twice and agree.
public final class LastValueCache<K, V> {
  private record Entry<K, V>(K key, V value) {}

  private final Function<K, V> compute;
  private volatile @Nullable Entry<K, V> entry;

  public LastValueCache(Function<K, V> compute) {
    this.compute = compute;
  }

  @SuppressWarnings(
      "ReferenceEquality") public // the same image, not an equal one: comparing costs more than computing
  V of(K key) {
    Entry<K, V> kept = entry;
    if (kept == null || kept.key != key) {
      kept = new Entry<>(key, compute.apply(key));
      entry = kept;
    }
    return kept.value;
  }
}
