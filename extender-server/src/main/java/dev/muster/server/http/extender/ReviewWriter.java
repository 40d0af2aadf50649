package dev.muster.server.http.extender;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.util.Optional;

/// Writes the response to an AdmissionReview, as `admission.k8s.io/v1` requires.
public final class ReviewWriter {
  private static final ObjectMapper MAPPER = new ObjectMapper(JsonCursor.FACTORY);
  private static final int TOO_MANY = 429;

  private ReviewWriter() {}

  /// The reason for which a pod is refused.
  ///
  /// @param code HTTP status that the creator of the pod gets
  public record Refusal(int code, String message) {
    /// Refuses a pod because of what it is.
    public static Refusal forbidden(String message) {
      return new Refusal(403, message);
    }

    /// Refuses a pod for the moment. Clients of Kubernetes try again after a second.
    public static Refusal forNow(String message) {
      return new Refusal(TOO_MANY, message);
    }
  }

  /// Returns the response that changes the pod.
  ///
  /// @param review the review, or its head
  /// @param patch changes of the pod; empty: the pod passes unchanged
  public static byte[] changed(JsonNode review, ArrayNode patch) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ObjectNode response = response(answer, review, true);
    if (!patch.isEmpty()) {
      response.put("patchType", "JSONPatch");
      response.put("patch", write(patch)); // Jackson writes bytes as base64
    }
    return write(answer);
  }

  /// Returns the response that refuses the pod, or lets it pass unchanged without a reason.
  ///
  /// @param review the review, or its head
  public static byte[] judged(JsonNode review, Optional<Refusal> refusal) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ObjectNode response = response(answer, review, refusal.isEmpty());
    refusal.ifPresent(reason -> {
      ObjectNode status = response.putObject("status");
      status.put("code", reason.code()).put("message", reason.message());
      if (reason.code() == TOO_MANY) {
        status.put("reason", "TooManyRequests").putObject("details").put("retryAfterSeconds", 1);
      }
    });
    return write(answer);
  }

  private static ObjectNode response(ObjectNode answer, JsonNode review, boolean allowed) {
    answer.put("apiVersion", review.path("apiVersion").asText("admission.k8s.io/v1"));
    answer.put("kind", "AdmissionReview");
    return answer
        .putObject("response")
        .put("uid", review.path("request").path("uid").asText())
        .put("allowed", allowed);
  }

  private static byte[] write(JsonNode json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("A JSON tree could not be written.", impossible);
    }
  }
}
