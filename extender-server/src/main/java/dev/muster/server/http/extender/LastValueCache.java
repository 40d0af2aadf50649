package dev.muster.server.http.extender;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Caches the last computed value while it is requested for one unchanged key object. Images are
/// immutable and replaced often, so one entry suffices. Threads that race compute twice and get
/// equal values.
public final class LastValueCache<K, V> {
  private record Entry<K, V>(K key, V value) {}

  private final Function<K, V> compute;
  private volatile @Nullable Entry<K, V> entry;

  public LastValueCache(Function<K, V> compute) {
    this.compute = compute;
  }

  // identity, since a comparison costs more than the computation
  @SuppressWarnings("ReferenceEquality")
  public V of(K key) {
    Entry<K, V> kept = entry;
    if (kept == null || kept.key != key) {
      kept = new Entry<>(key, compute.apply(key));
      entry = kept;
    }
    return kept.value;
  }
}
