package dev.muster.server.kube.watch.gang;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The data of gangs that are declared by their own pods, merged for each gang.
///
/// The result has the data of the first pod in rank order, the nominations of all pods, and the
/// creation time of the oldest pod.
///
/// The cost of one pod does not grow with the number of others: an owner may have thousands.
public final class PodDeclarations {
  private final Map<GangId, Offers> gangs = new HashMap<>();

  /// A pod that declares its gang; the first in rank order takes precedence.
  private record Speaker(long rank, MemberId pod) implements Comparable<Speaker> {
    private static final Comparator<Speaker> ORDER =
        Comparator.comparingLong(Speaker::rank).thenComparing(Speaker::pod);

    static Speaker of(Member pod) {
      return new Speaker(pod.rank(), pod.id());
    }

    @Override
    public int compareTo(Speaker other) {
      return ORDER.compare(this, other);
    }
  }

  /// The data that the pods of one gang state.
  private static final class Offers {
    private final TreeMap<Speaker, GangSpec> byPod = new TreeMap<>();
    private final TreeMap<Instant, Integer> created = new TreeMap<>();
    private SortedTable<MemberId, NodeId> recorded = SortedTable.empty();

    void add(Member pod, GangSpec offer) {
      byPod.put(Speaker.of(pod), offer);
      created.merge(offer.createdAt(), 1, Integer::sum);
      recorded = recorded.with(pod.id(), offer.recorded().get(pod.id()));
    }

    void remove(Member pod) {
      GangSpec offer = byPod.remove(Speaker.of(pod));
      if (offer != null) {
        created.computeIfPresent(
            offer.createdAt(), (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
        recorded = recorded.without(pod.id());
      }
    }

    GangSpec merged() {
      return byPod.firstEntry().getValue().bornAt(created.firstKey()).recording(recorded);
    }
  }

  /// Records the gang data that the pod states, if any. A nomination counts for the pod itself
  /// only.
  ///
  /// @param before the pod as it was recorded last, if it was
  public void put(Optional<Member> before, Member pod, Optional<GangSpec> own) {
    before.ifPresent(this::remove); // its rank may have changed
    remove(pod);
    own.ifPresent(offer -> gangs.computeIfAbsent(pod.gang(), _ -> new Offers()).add(pod, offer));
  }

  /// Forgets the gang data of the pod.
  public void remove(Member pod) {
    Offers offers = gangs.get(pod.gang());
    if (offers != null) {
      offers.remove(pod);
      if (offers.byPod.isEmpty()) {
        gangs.remove(pod.gang());
      }
    }
  }

  /// Returns the data of the gang; empty if no pod states any.
  public Optional<GangSpec> of(GangId gang) {
    return Optional.ofNullable(gangs.get(gang)).map(Offers::merged);
  }
}
