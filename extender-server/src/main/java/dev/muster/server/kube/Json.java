package dev.muster.server.kube;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// The bodies of API calls.
final class Json {
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
}
