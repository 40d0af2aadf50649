package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The GPUs of some pods: how many pods have how many GPUs each.
///
/// @param parts number of pods for each number of GPUs, in the order of the first pods
record GangShape(Map<Each, Integer> parts) {
  /// The GPUs of one pod.
  ///
  /// @param milli thousandths of one more GPU
  record Each(int gpus, int milli) {}

  /// Returns the shape of all pods of the gang that have not ended.
  static GangShape of(Gang gang) {
    return of(
        gang.members().values().stream()
            .filter(member -> !(member.state() instanceof MemberState.Ended))
            .sorted(Member.BY_RANK)
            .toList());
  }

  /// Returns the shape of the pods that wait for a node without a promise.
  static GangShape wanted(Cluster cluster, Gang gang) {
    return of(cluster.unpromised(gang));
  }

  /// Returns the whole GPUs of these pods, without their order.
  static long wantedGpus(Cluster cluster, Gang gang) {
    Optional<Reservation> held = cluster.reservations().get(gang.id());
    long gpus = 0;
    for (Member member : gang.members()) {
      boolean promised = held.isPresent() && held.get().promises().contains(member.id());
      gpus += member.wantsNode() && !promised ? member.request().gpus() : 0;
    }
    return gpus;
  }

  private static GangShape of(List<Member> members) {
    Map<Each, Integer> parts = new LinkedHashMap<>();
    for (Member member : members) {
      parts.merge(new Each(member.request().gpus(), member.request().gpuMilli()), 1, Integer::sum);
    }
    return new GangShape(parts);
  }

  /// Returns the number of whole GPUs.
  long gpus() {
    return parts.entrySet().stream()
        .mapToLong(part -> (long) part.getKey().gpus() * part.getValue())
        .sum();
  }

  /// Adds the number of GPUs, and the shape.
  void addTo(ObjectNode json) {
    json.put("gpus", gpus());
    ArrayNode shape = json.putArray("shape");
    parts.forEach((each, pods) -> {
      ObjectNode part = shape.addObject().put("pods", pods).put("gpus", each.gpus());
      if (each.milli() > 0) {
        part.put("milliGpus", each.milli());
      }
    });
  }
}
