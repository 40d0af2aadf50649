package dev.muster.server.kube.codec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.WellKnownNames;
import java.util.Map;

/// Converts a reservation to the annotation from which a restart recovers it. Its format is
/// `{"version":1,"until":"…Z","members":{"<pod>":{"uid":"…","node":"…"}}}`; see [CompressedRecord].
public final class ReservationRecord {
  private static final int VERSION = 1;

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

  /// Returns the promises of the record.
  ///
  /// @throws IllegalArgumentException if the text is no such record
  static SortedTable<MemberId, NodeId> promises(String namespace, String text) {
    SortedTable<MemberId, NodeId> promises = SortedTable.empty();
    JsonNode record = CompressedRecord.read(WellKnownNames.RESERVATION, text);
    if (record.path("version").asInt() != VERSION) {
      throw new IllegalArgumentException(
          "The annotation %s has version (%s); only %d is supported. A newer Muster may have written it."
              .formatted(WellKnownNames.RESERVATION, record.path("version"), VERSION));
    }
    for (Map.Entry<String, JsonNode> member : record.path("members").properties()) {
      String uid = member.getValue().path("uid").asText();
      NodeId node = new NodeId(member.getValue().path("node").asText());
      promises = promises.with(new MemberId(namespace, member.getKey(), uid), node);
    }
    return promises;
  }
}
