package dev.muster.server.kube.act;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The statuses of gangs that lack members, whose pods are told once no new pod came for a while.
///
/// A job controller creates the pods of a large gang over some seconds. Two statuses for each of
/// them, one that is withdrawn at its start, would be most of what the gang costs.
///
/// Not safe for use by several threads.
public final class GrowingGangs {
  private static final Duration GROWS = Duration.ofSeconds(5);

  private final Map<GangId, Growing> growing = new HashMap<>();

  /// @param due time at which its pods are told
  private record Growing(StatusWriter.Notice notice, Instant due) {}

  /// Notes the newest status of a gang that lacks members.
  public void put(StatusWriter.Notice notice) {
    Instant newest =
        notice.members().stream()
            .map(Member::createdAt)
            .max(Comparator.naturalOrder())
            .orElse(Instant.EPOCH);
    growing.put(notice.gang(), new Growing(notice, newest.plus(GROWS)));
  }

  /// Notes that the gang lacks no members, or has another status.
  public void remove(GangId gang) {
    growing.remove(gang);
  }

  /// Returns, once, the statuses of which pods are to be told now. Each is the newest of its gang.
  public List<StatusWriter.Notice> due(Instant now) {
    List<StatusWriter.Notice> due = new ArrayList<>();
    growing.values().removeIf(each -> !now.isBefore(each.due()) && due.add(each.notice()));
    return due;
  }
}
