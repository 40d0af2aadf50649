package dev.muster.server.kube.act;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Finds pods that must record the queue that is charged for them.
///
/// Goal: GPUs stay on the account that provided them, also over a restart. The object of a gang
/// usually names that account, so pods record nothing. Its pods record it once the object names
/// another queue, or is gone. They do so too if it names the account again by then: it may change
/// again just before a restart.
///
/// Not safe for use by several threads.
public final class UnrecordedAccounts {
  /// Most PodGroups are deleted together with their pods, which need no record then.
  private static final Duration LEAVING = Duration.ofSeconds(30);

  /// Time after which records that were not seen are requested again.
  private static final Duration AGAIN = Duration.ofMinutes(1);

  private final Map<GangId, Instant> due = new HashMap<>();
  private SortedTable<GangId, Gang> seen = SortedTable.empty();

  /// Pods of a gang that must record a queue.
  ///
  /// @param queue the charged queue
  /// @param pods pods on a node, at least one
  public record Account(GangId gang, String queue, List<MemberId> pods) {
    public Account {
      pods = List.copyOf(pods);
    }
  }

  /// Returns the accounts to record now. The cost depends on the gangs that changed since the last
  /// call, and on those that are due.
  public List<Account> due(Cluster cluster) {
    if (!cluster.synced()) {
      return List.of(); // the records are read then
    }
    Instant now = cluster.now();
    for (var changed : cluster.gangs().differences(seen)) {
      if (changed.now().isPresent() && differs(changed.now().get(), cluster)) {
        due.putIfAbsent(changed.key(), now.plus(LEAVING));
      }
    }
    seen = cluster.gangs();
    List<Account> accounts = new ArrayList<>();
    due.entrySet()
        .removeIf(each -> !now.isBefore(each.getValue()) && isDone(each, cluster, accounts));
    return accounts;
  }

  /// True if a restart would charge another queue for the gang, now or once its object is there.
  private static boolean differs(Gang gang, Cluster cluster) {
    String named = cluster.namespaces().charged(gang.namedQueue(), gang.id().namespace());
    return stays(gang, cluster) && (gang.spec().isEmpty() || !gang.queue().equals(named));
  }

  /// True if a record of the charged queue counts, as [Cluster#apply] reads it.
  private static boolean stays(Gang gang, Cluster cluster) {
    return gang.account().stays()
        && cluster.namespaces().takes(gang.queue(), gang.id().namespace());
  }

  /// Adds the account of the gang, unless each of its pods on a node records it.
  private boolean isDone(Map.Entry<GangId, Instant> each, Cluster cluster, List<Account> accounts) {
    Gang gang = cluster.gang(each.getKey());
    List<MemberId> pods = stays(gang, cluster) ? unrecorded(gang) : List.of();
    if (pods.isEmpty()) {
      return true;
    }
    accounts.add(new Account(gang.id(), gang.queue(), pods));
    each.setValue(cluster.now().plus(AGAIN));
    return false;
  }

  private static List<MemberId> unrecorded(Gang gang) {
    Optional<String> queue = Optional.of(gang.queue());
    List<MemberId> pods = new ArrayList<>();
    for (Member member : gang.active()) {
      if (member.node().isPresent()
          && member.request().gpus() > 0
          && !member.report().chargedQueue().equals(queue)) {
        pods.add(member.id());
      }
    }
    return pods;
  }
}
