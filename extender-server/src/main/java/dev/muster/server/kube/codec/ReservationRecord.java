package dev.muster.server.kube.codec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.MessageLimit;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Converts a reservation to the annotation from which a restart recovers it. Its format is
/// `{"version":1,"until":"…Z","members":{"<pod>":{"uid":"…","node":"…"}}}`; see [CompressedRecord].
public final class ReservationRecord {
  private static final int VERSION = 1;

  /// Commas and colons of one pod.
  private static final int SIGNS = 5;

  private static final Logger log = LoggerFactory.getLogger(ReservationRecord.class);
  private static final LogThrottle throttle = new LogThrottle();

  private ReservationRecord() {}

  public static String text(Reservation reservation) {
    ObjectNode record = JsonBodies.object();
    record.put("version", VERSION).put("until", reservation.until().toString());
    ObjectNode members = record.putObject("members");
    for (Promise promise : reservation.promises()) {
      members
          .putObject(promise.member().name())
          .put("uid", promise.member().uid())
          .put("node", promise.node().name());
    }
    return CompressedRecord.text(record);
  }

  /// Returns the promises that the PodGroup records for these pods; one other if there are none. An
  /// invalid record is ignored: its promises are decided again.
  ///
  /// @param isMember true for a member of the gang
  public static SortedTable<MemberId, NodeId> promises(
      HasMetadata group, Predicate<MemberId> isMember) {
    String text = ObjectMetadata.annotations(group).getOrDefault(WellKnownNames.RESERVATION, "");
    try {
      return text.isEmpty()
          ? SortedTable.empty()
          : promises(group.getMetadata().getNamespace(), text, isMember);
    } catch (IllegalArgumentException e) {
      String line =
          "%s: ignored the invalid reservation record: %s"
              .formatted(ObjectRef.to(group), MessageLimit.cut(String.valueOf(e.getMessage())));
      if (throttle.isNew(line)) {
        log.warn("{}", line);
      }
      return SortedTable.empty();
    }
  }

  static SortedTable<MemberId, NodeId> promises(
      String namespace, String text, Predicate<MemberId> isMember) {
    SortedTable<MemberId, NodeId> promises = SortedTable.empty();
    SortedTable<MemberId, NodeId> other = SortedTable.empty();
    JsonNode record = CompressedRecord.read(WellKnownNames.RESERVATION, text, SIGNS);
    if (record.path("version").asInt() != VERSION) {
      throw new IllegalArgumentException(
          "The annotation %s has version (%s); only %d is supported. A newer Muster may have written it."
              .formatted(WellKnownNames.RESERVATION, record.path("version"), VERSION));
    }
    for (Map.Entry<String, JsonNode> member : record.path("members").properties()) {
      String uid = member.getValue().path("uid").asText();
      NodeId node = new NodeId(member.getValue().path("node").asText());
      MemberId pod = new MemberId(namespace, member.getKey(), uid);
      if (isMember.test(pod)) {
        promises = promises.with(pod, node);
      } else if (other.isEmpty()) {
        other = other.with(pod, node);
      }
    }
    return promises.isEmpty() ? other : promises;
  }
}
