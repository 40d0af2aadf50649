package dev.muster.core.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.FairMemory.Age;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/// An owner with many entries displaces only its own, the oldest first.
class FairMemoryTest {
  private static final int FULL = 8;
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

  /// An entry that an owner adds, or removes if it exists.
  record Change(String owner, int second, int key) {
    private Age<Integer> age() {
      return new Age<>(START.plusSeconds(second), key);
    }
  }

  /// A memory of at most [#FULL] entries, and these by owner as plain sets.
  private static final class Filled {
    private FairMemory<Integer> memory = FairMemory.empty();
    private final Map<String, NavigableSet<Age<Integer>>> entries = new TreeMap<>();

    private NavigableSet<Age<Integer>> of(String owner) {
      return entries.computeIfAbsent(owner, _ -> new TreeSet<>());
    }

    private int size() {
      return entries.values().stream().mapToInt(NavigableSet::size).sum();
    }

    private void remove(String owner, Age<Integer> entry) {
      memory = memory.without(owner, entry.at(), entry.key());
      of(owner).remove(entry);
    }

    private void add(Change change) {
      memory = memory.with(change.owner, change.age().at(), change.key);
      of(change.owner).add(change.age());
    }

    private String ownerOf(int key) {
      return entries.entrySet().stream()
          .filter(owned -> owned.getValue().stream().anyMatch(entry -> entry.key() == key))
          .map(Map.Entry::getKey)
          .findFirst()
          .orElseThrow();
    }

    private void apply(Change change) {
      if (of(change.owner).contains(change.age())) {
        remove(change.owner, change.age());
        return;
      }
      if (size() == FULL) {
        int left = memory.displacedBy(change.owner).orElseThrow();
        String loser = ownerOf(left);
        assertThat(left).isEqualTo(of(loser).getFirst().key());
        assertThat(loser.equals(change.owner) || of(loser).size() > of(change.owner).size())
            .isTrue();
        assertThat(entries.values()).allMatch(others -> others.size() <= of(loser).size());
        remove(loser, of(loser).getFirst());
      }
      add(change);
    }
  }

  /// The keys of two owners differ, as gangs of two namespaces do.
  @Provide
  Arbitrary<List<Change>> changes() {
    List<String> owners = List.of("a", "b", "c", "d");
    return Combinators.combine(
            Arbitraries.of("a", "a", "a", "a", "b", "b", "c", "d"),
            Arbitraries.integers().between(0, 4),
            Arbitraries.integers().between(0, 3))
        .as((owner, second, key) ->
            new Change(owner, second, 100 * owners.indexOf(owner) + 10 * second + key))
        .list()
        .ofMaxSize(80);
  }

  @Property
  void oldest_entry_of_an_owner_with_the_most_leaves(@ForAll("changes") List<Change> changes) {
    Filled filled = new Filled();
    changes.forEach(filled::apply);
  }

  @Property
  void nothing_else_is_lost(@ForAll("changes") List<Change> changes) {
    Filled filled = new Filled();
    for (Change change : changes) {
      filled.apply(change);
      filled.entries.forEach((owner, kept) -> {
        assertThat(filled.memory.size(owner)).isEqualTo(kept.size());
        assertThat(filled.memory.oldest(owner)).isEqualTo(kept.stream().map(Age::key).findFirst());
      });
    }
  }

  @Test
  void owner_displaces_its_own_entry_when_no_other_has_more() {
    Filled filled = new Filled();
    for (int i = 0; i < FULL; i++) {
      filled.add(new Change(i % 2 == 0 ? "a" : "b", i, i));
    }
    assertThat(filled.memory.displacedBy("b")).contains(1);
  }

  @Test
  void memory_without_entries_is_the_empty_one() {
    FairMemory<Integer> memory = FairMemory.<Integer>empty().with("a", START, 1);
    assertThat(memory.without("a", START, 1)).isEqualTo(FairMemory.empty());
  }
}
