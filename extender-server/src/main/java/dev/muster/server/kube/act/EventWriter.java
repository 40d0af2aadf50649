package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.logging.LogThrottle;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes Events (`events.k8s.io/v1`), the short notices in the output of `kubectl describe`.
public final class EventWriter {
  private static final Logger log = LoggerFactory.getLogger(EventWriter.class);
  private static final int NOTE_BYTES = 1024;
  private static final int WORD_BYTES = 128; // of a reason and of the reporter

  /// Limit of the object's name in the name of its Event. The API server allows 253 bytes and
  /// appends a suffix.
  private static final int NAME_BYTES = 200;

  private final ApiCalls api;
  private final InstantSource clock;
  private final String instance;
  private final LogThrottle throttle = new LogThrottle();

  public EventWriter(ApiCalls api, InstantSource clock) {
    this.api = api;
    this.clock = clock;
    this.instance = cut(hostName(), WORD_BYTES);
  }

  /// The content of an Event.
  ///
  /// @param warning true if an action may be necessary
  /// @param reason CamelCase token
  /// @param note one sentence; truncated at 1024 bytes
  public record Notice(boolean warning, String reason, String note) {}

  /// Writes an Event.
  ///
  /// @return true if it was written or never can be; false if a retry may succeed
  public boolean write(ObjectRef regarding, Notice notice) {
    // Events on cluster-scoped objects, such as nodes, are in namespace `default`.
    String namespace = regarding.namespace().isEmpty() ? "default" : regarding.namespace();
    ObjectNode event =
        JsonBodies.object().put("apiVersion", "events.k8s.io/v1").put("kind", "Event");
    event
        .putObject("metadata")
        .put("generateName", cut(regarding.name(), NAME_BYTES) + "-")
        .put("namespace", namespace);
    event
        .put("eventTime", JsonBodies.microTime(clock.instant()))
        .put("type", notice.warning() ? "Warning" : "Normal")
        .put("reason", cut(notice.reason(), WORD_BYTES))
        .put("action", "Scheduling")
        .put("note", cut(notice.note(), NOTE_BYTES))
        .put("reportingController", WellKnownNames.CONTROLLER)
        .put("reportingInstance", instance);
    event.set("regarding", reference(regarding));
    ApiCalls.Answer answer =
        api.post(ResourcePaths.in("events.k8s.io/v1", namespace, "events"), event);
    if (!answer.isGood() && throttle.isNew("" + answer.code())) {
      log.warn("Cannot write an Event on {}: {}", regarding, answer.problem());
    }
    return !answer.isPassing();
  }

  private static ObjectNode reference(ObjectRef to) {
    ObjectNode reference =
        JsonBodies.object()
            .put("apiVersion", to.apiVersion())
            .put("kind", to.kind())
            .put("namespace", to.namespace())
            .put("name", to.name());
    return to.uid().isEmpty() ? reference : reference.put("uid", to.uid());
  }

  /// Returns the longest prefix within this number of bytes that splits no character.
  static String cut(String text, int bytes) {
    int end = 0;
    for (int used = 0; end < text.length(); ) {
      int next = text.offsetByCodePoints(end, 1);
      used += text.substring(end, next).getBytes(StandardCharsets.UTF_8).length;
      if (used > bytes) {
        break;
      }
      end = next;
    }
    return text.substring(0, end);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException _) {
      return "muster";
    }
  }
}
