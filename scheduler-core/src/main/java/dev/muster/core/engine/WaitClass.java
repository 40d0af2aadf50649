package dev.muster.core.engine;

import dev.muster.core.cluster.NodeState;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Ask;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.gang.GangId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Gangs that wait for the same: of one queue and priority, with equal needs and wishes, expected
/// to run equally long. While the first of them does not fit none of them does, so one answer is
/// the answer for all (Borg's equivalence classes: Verma et al. 2015).
///
/// @param key what they have in common
/// @param asks what their members ask of a node, each kind once
/// @param gangs the gangs, oldest first
/// @param why why the first of them does not fit
public record WaitClass(Key key, List<Ask> asks, SortedTable<Age, GangId> gangs, Explanation why) {
  public WaitClass {
    asks = List.copyOf(asks);
  }

  /// What the gangs of a class have in common.
  ///
  /// @param queue their queue
  /// @param priority their effective priority
  /// @param asks all else that counts, as text
  public record Key(String queue, int priority, String asks) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparingInt(Key::priority)
            .reversed()
            .thenComparing(Key::queue)
            .thenComparing(Key::asks);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /// The place of a gang within its class.
  public record Age(Instant createdAt, GangId gang) implements Comparable<Age> {
    private static final Comparator<Age> ORDER =
        Comparator.comparing(Age::createdAt).thenComparing(Age::gang);

    @Override
    public int compareTo(Age other) {
      return ORDER.compare(this, other);
    }
  }

  /// The oldest gang; a class is never empty.
  GangId first() {
    return gangs.first(_ -> true).orElseThrow();
  }

  /// Whether a node would take a member of any of the gangs and has room for it, were nothing
  /// withheld there: only then can more room on the node help them.
  boolean findsRoomOn(NodeState node) {
    for (Ask ask : asks) {
      if (node.unpromised().covers(ask.request().resources())
          && LastingRules.veto(ask, node.node()).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /// Whether this is the same kind of answer, whatever its numbers.
  boolean isAnswered(Explanation reason) {
    return why.main().map(Object::getClass).equals(reason.main().map(Object::getClass));
  }

  WaitClass with(Age age) {
    return new WaitClass(key, asks, gangs.with(age, age.gang()), why);
  }

  /// This class without the gang; empty when none is left.
  Optional<WaitClass> without(Age age) {
    var rest = gangs.without(age);
    return rest.isEmpty() ? Optional.empty() : Optional.of(new WaitClass(key, asks, rest, why));
  }

  WaitClass because(Explanation reason) {
    return new WaitClass(key, asks, gangs, reason);
  }
}
