package dev.muster.server.kube;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// The bodies of API calls, and the times in them.
final class Json {
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private Json() {}

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /// A merge or strategic patch of the object with this uid. The API server refuses it where
  /// another object has taken that one's name.
  static ObjectNode patchOf(String uid) {
    ObjectNode patch = object();
    patch.putObject("metadata").put("uid", uid);
    return patch;
  }

  /// A condition as Kubernetes writes it.
  static ObjectNode condition(String type, boolean status, String reason) {
    return object()
        .put("type", type)
        .put("status", status ? "True" : "False")
        .put("reason", reason);
  }

  /// An instant to the second, as Kubernetes times are.
  static String time(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /// An instant to the microsecond, as Events and Leases have it: with six digits, no fewer.
  static String microTime(Instant at) {
    return MICRO_TIME.format(at);
  }

  /// The instant that Kubernetes writes so; the epoch where nothing is written.
  static Instant instant(@Nullable String time) {
    return time == null ? Instant.EPOCH : Instant.parse(time);
  }
}
