package dev.muster.core.node;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// The nodes on which members of one gang failed to start, and which it avoids for a time.
///
/// **Goals.** A gang does not return to a node that fails it, and never waits for ever for that
/// reason.
///
/// **Constraints.** Most failures concern one gang only: a host port, a volume, a broken image. So
/// other gangs use the node as before.
///
/// **Algorithm.** A failure, or the second one of pods that died early, makes the gang avoid the
/// node: for 1 min, then twice as long each time, at most 10 min. Then the gang uses the node only
/// if there is no other place. An hour after its last failure a node is forgotten. At most
/// [#REMEMBERED] nodes are remembered, those with the newest failures.
///
/// **Example.** Pods die early on n1 at 12:00 and 12:01. The gang avoids n1 until 12:02. If a pod
/// dies there at 12:03 and another one at 12:04, it avoids n1 until 12:06.
///
/// @param failures the failures by node; a node may have too few of them to be avoided
public record AvoidedNodes(SortedTable<NodeId, Failures> failures) {
  /// No node.
  public static final AvoidedNodes NONE = new AvoidedNodes(SortedTable.empty());

  /// The maximum number of nodes that are remembered.
  public static final int REMEMBERED = 64;

  /// The number of nodes up to which a gang's failures count as failures of the nodes. A gang that
  /// fails on more of them is more likely broken itself.
  public static final int OF_NODES = 2;

  private static final Duration FIRST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofMinutes(10);
  private static final Duration FORGOTTEN_AFTER = Duration.ofHours(1);

  /// The number of times that pods may die early on a node before it is avoided.
  private static final int DEATHS = 2;

  /// The time in which pods that die on one node count as one failure. Members of a gang often die
  /// together.
  private static final Duration TOGETHER = Duration.ofSeconds(2);

  /// The cause of a failure.
  public enum Cause {
    /// kube-scheduler refused a member on the node again and again.
    REFUSED,
    /// The kubelet rejected a member.
    REJECTED,
    /// Members died early.
    DIED,
    /// A member was not bound in time. The node is used again if there is no other place.
    NOT_BOUND
  }

  /// The failures of a gang's members on one node.
  ///
  /// @param node the node
  /// @param cause cause of the last failure
  /// @param count number of failures since the node was last avoided
  /// @param times number of times that the node was avoided
  /// @param last time of the last failure
  /// @param until end of the time in which the node is avoided; absent while it may be used
  /// @param message reasons of kube-scheduler, if it refused a member
  public record Failures(
      NodeId node,
      Cause cause,
      int count,
      int times,
      Instant last,
      Optional<Instant> until,
      Optional<String> message) {
    /// Returns these failures and one more. Members of one placement often fail together, so
    /// further failures change nothing while the node is avoided. But a node that may be used
    /// because a member was merely not bound in time fails anew.
    Failures and(Cause next, Instant now, Optional<String> said) {
      boolean together = next == Cause.DIED && count > 0 && now.isBefore(last.plus(TOGETHER));
      if (together || isStrict() || (until.isPresent() && next == Cause.NOT_BOUND)) {
        return this;
      }
      boolean enough = next != Cause.DIED || count + 1 >= DEATHS;
      return new Failures(
          node,
          next,
          enough ? 0 : count + 1,
          enough ? times + 1 : times,
          now,
          enough ? Optional.of(now.plus(duration())) : Optional.empty(),
          said);
    }

    private Duration duration() {
      Duration time = FIRST.multipliedBy(1L << Math.min(times, 10));
      return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }

    /// Returns these failures at a later time; empty when they are forgotten.
    Optional<Failures> at(Instant now) {
      if (until.isPresent()) {
        return Optional.of(until.get().isAfter(now) ? this : usable());
      }
      return Optional.of(this).filter(old -> old.last.plus(FORGOTTEN_AFTER).isAfter(now));
    }

    private Failures usable() {
      return new Failures(node, cause, count, times, last, Optional.empty(), message);
    }

    /// True if the node is avoided even if there is no other place.
    public boolean isStrict() {
      return until.isPresent() && cause != Cause.NOT_BOUND;
    }

    /// True if the node is used only if there is no other place.
    boolean isLast() {
      return !isStrict() && (until.isPresent() || times > 0);
    }
  }

  /// Returns these nodes after a failure of a member on a node.
  public AvoidedNodes after(NodeId node, Cause cause, Instant now, Optional<String> message) {
    Failures before =
        failures
            .get(node)
            .orElse(new Failures(node, cause, 0, 0, now, Optional.empty(), Optional.empty()));
    AvoidedNodes kept =
        failures.contains(node) || failures.size() < REMEMBERED ? this : withoutOldest();
    return new AvoidedNodes(kept.failures.with(node, before.and(cause, now, message)));
  }

  private AvoidedNodes withoutOldest() {
    return failures.values().stream()
        .min(Comparator.comparing(Failures::last).thenComparing(Failures::node))
        .map(oldest -> without(oldest.node()))
        .orElse(this);
  }

  /// Returns these nodes without the node and its failures.
  public AvoidedNodes without(NodeId node) {
    return failures.contains(node) ? new AvoidedNodes(failures.without(node)) : this;
  }

  /// Returns these nodes at a later time.
  public AvoidedNodes at(Instant now) {
    SortedTable<NodeId, Failures> later = failures;
    for (NodeId node : failures.keys()) {
      later = later.update(node, (_, old) -> old.flatMap(known -> known.at(now)));
    }
    return later.equals(failures) ? this : new AvoidedNodes(later);
  }

  /// Returns the nodes that are avoided even if there is no other place.
  public SortedKeys<NodeId> strict() {
    return SortedKeys.of(nodes(Failures::isStrict));
  }

  /// Returns the nodes whose failures count as failures of the nodes; none if there are too many.
  List<NodeId> blamed() {
    List<NodeId> strict = nodes(Failures::isStrict);
    return strict.size() <= OF_NODES ? strict : List.of();
  }

  /// Returns the time of the next change by time alone.
  Instant nextChange() {
    Instant first = Instant.MAX;
    for (Failures known : failures) {
      Instant next = known.until().orElseGet(() -> known.last().plus(FORGOTTEN_AFTER));
      first = next.isBefore(first) ? next : first;
    }
    return first;
  }

  /// Returns the time of the last failure.
  Instant newest() {
    Instant newest = Instant.MIN;
    for (Failures known : failures) {
      newest = known.last().isAfter(newest) ? known.last() : newest;
    }
    return newest;
  }

  /// Returns the nodes to be used only if there is no other place. They are in the order in which
  /// to try them: the oldest failure first.
  public List<NodeId> last() {
    return nodes(Failures::isLast);
  }

  /// Returns the strictly avoided nodes on which members died, the oldest failure first.
  public List<NodeId> deadly() {
    return nodes(known -> known.isStrict() && known.cause() == Cause.DIED);
  }

  private List<NodeId> nodes(Predicate<Failures> which) {
    return failures.values().stream()
        .filter(which)
        .sorted(Comparator.comparing(Failures::last).thenComparing(Failures::node))
        .map(Failures::node)
        .toList();
  }

  /// Returns the failures on the node that may be used again first, of those strictly avoided.
  public Optional<Failures> first() {
    return failures.values().stream()
        .filter(Failures::isStrict)
        .min(
            Comparator.comparing((Failures known) -> known.until().orElseThrow())
                .thenComparing(Failures::node));
  }
}
