package dev.muster.server.kube.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.policy.yaml.ShownValue;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// Builds the bodies of API calls, and converts the times in them.
public final class JsonBodies {
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

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
  ///
  /// @param field path of the field
  /// @throws IllegalArgumentException if it is no time
  public static Instant instant(String field, @Nullable String time) {
    try {
      return time == null ? Instant.EPOCH : writable(Instant.parse(time));
    } catch (DateTimeException _) {
      throw new IllegalArgumentException(
          "The field %s is (%s); it must be a time such as 2026-11-01T12:00:00Z."
              .formatted(field, ShownValue.text(time)));
    }
  }

  /// Returns the instant if Kubernetes can write it, with a year of four digits. So no sum or
  /// difference of two times overflows.
  ///
  /// @throws DateTimeException if it cannot
  public static Instant writable(Instant at) {
    if (at.isBefore(FIRST) || at.isAfter(LAST)) {
      throw new DateTimeException("The year of %s is not 0000 to 9999.".formatted(at));
    }
    return at;
  }

  /// Returns the time at which an object was created.
  public static Instant created(HasMetadata object) {
    return instant("metadata.creationTimestamp", object.getMetadata().getCreationTimestamp());
  }

  /// Returns the time at which an object is to be gone.
  public static Instant deleted(HasMetadata object) {
    return instant("metadata.deletionTimestamp", object.getMetadata().getDeletionTimestamp());
  }
}
