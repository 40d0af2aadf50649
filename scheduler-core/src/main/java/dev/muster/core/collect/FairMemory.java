package dev.muster.core.collect;

import java.time.Instant;
import java.util.Optional;

/// The order in which entries leave a bounded memory that several owners share.
///
/// *Goals:* an owner with many entries displaces only its own. A change costs O(log n).
///
/// *Algorithm:* an owner that adds an entry to a full memory displaces the oldest entry of the
/// owner with the most entries. If no other owner has more entries than it has, it displaces its
/// own oldest one.
///
/// *Example:* four entries fit. Owner a has three of them and b has one. If b adds an entry, the
/// oldest entry of a leaves. If b adds another one, the oldest entry of b leaves.
///
/// @param byOwner entries of each owner, oldest first; no owner is without entries
/// @param shares numbers of entries, greatest first
/// @param <K> type of the keys of the entries
public record FairMemory<K extends Comparable<K>>(
    SortedTable<String, SortedTable<Age<K>, K>> byOwner, SortedKeys<Share> shares) {
  /// The position of an entry among those of its owner.
  public record Age<K extends Comparable<K>>(Instant at, K key) implements Comparable<Age<K>> {
    @Override
    public int compareTo(Age<K> other) {
      int side = at.compareTo(other.at);
      return side == 0 ? key.compareTo(other.key) : side;
    }
  }

  /// The number of entries of an owner.
  public record Share(int entries, String owner) implements Comparable<Share> {
    @Override
    public int compareTo(Share other) {
      int side = Integer.compare(other.entries, entries);
      return side == 0 ? owner.compareTo(other.owner) : side;
    }
  }

  /// Returns the memory without entries.
  public static <K extends Comparable<K>> FairMemory<K> empty() {
    return new FairMemory<>(SortedTable.empty(), SortedKeys.empty());
  }

  /// Returns this memory with an entry of the owner.
  ///
  /// @param at time of its last use; the oldest one leaves first
  public FairMemory<K> with(String owner, Instant at, K key) {
    return having(owner, of(owner).with(new Age<>(at, key), key));
  }

  /// Returns this memory without an entry, given as it was added.
  public FairMemory<K> without(String owner, Instant at, K key) {
    return having(owner, of(owner).without(new Age<>(at, key)));
  }

  private FairMemory<K> having(String owner, SortedTable<Age<K>, K> entries) {
    SortedKeys<Share> others = shares.without(new Share(size(owner), owner));
    return entries.isEmpty()
        ? new FairMemory<>(byOwner.without(owner), others)
        : new FairMemory<>(
            byOwner.with(owner, entries), others.with(new Share(entries.size(), owner)));
  }

  private SortedTable<Age<K>, K> of(String owner) {
    return byOwner.get(owner).orElse(SortedTable.empty());
  }

  /// Returns the number of entries of the owner.
  public int size(String owner) {
    return of(owner).size();
  }

  /// Returns the oldest entry of the owner, if it has any.
  public Optional<K> oldest(String owner) {
    return of(owner).first(_ -> true);
  }

  /// Returns the entry that leaves a full memory when the owner adds one.
  public Optional<K> displacedBy(String owner) {
    boolean outnumbered = !shares.isEmpty() && shares.asList().getFirst().entries() > size(owner);
    return oldest(outnumbered ? shares.asList().getFirst().owner() : owner);
  }
}
