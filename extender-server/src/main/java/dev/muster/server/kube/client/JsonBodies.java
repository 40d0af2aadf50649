package dev.muster.server.kube.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// Builds the bodies of API calls, and converts the times in them.
public final class JsonBodies {
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private JsonBodies() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /// Starts a merge or strategic patch of the object with this uid. The API server rejects the
  /// patch if another object has replaced it under its name.
  public static ObjectNode patchOf(String uid) {
    ObjectNode patch = object();
    patch.putObject("metadata").put("uid", uid);
    return patch;
  }

  /// Builds a condition in the format of Kubernetes.
  public static ObjectNode condition(String type, boolean status, String reason) {
    return object()
        .put("type", type)
        .put("status", status ? "True" : "False")
        .put("reason", reason);
  }

  /// Formats an instant to the second, as Kubernetes times are.
  public static String time(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /// Formats an instant with exactly six decimals, as Events and Leases require.
  public static String microTime(Instant at) {
    return MICRO_TIME.format(at);
  }

  /// Parses a Kubernetes time; the epoch if it is absent.
  public static Instant instant(@Nullable String time) {
    return time == null ? Instant.EPOCH : Instant.parse(time);
  }
}
