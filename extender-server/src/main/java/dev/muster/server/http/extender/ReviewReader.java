package dev.muster.server.http.extender;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/// Reads an AdmissionReview of `admission.k8s.io/v1`.
///
/// The API server writes what a review asks about before the objects, in the order of the fields in
/// Go. So the first bytes have it, whatever the objects contain.
public final class ReviewReader {
  private static final ObjectMapper MAPPER = new ObjectMapper(JsonCursor.FACTORY);

  /// The bytes in which the head of a review ends, unless its pod has a name of kilobytes.
  public static final int HEAD = 1 << 12;

  /// The first fields after the head.
  private static final Set<String> REST = Set.of("userInfo", "object", "oldObject");

  private static final String NO_OBJECT = "The body is not one JSON object.";

  private ReviewReader() {}

  /// Returns the whole review.
  ///
  /// @throws MalformedRequest if the body is not a JSON object; [MalformedRequest.Excessive] if it
  ///   exceeds a bound
  public static JsonNode tree(byte[] body) throws MalformedRequest {
    boolean isOfTwo = // the pod with the new containers, and without them
        head(body).filter(head -> addsContainers(head.path("request"))).isPresent();
    return JsonCursor.parseTree(
        body,
        isOfTwo ? 2 : 1,
        parser -> {
          JsonNode review = MAPPER.readTree(parser);
          if (review == null || !review.isObject() || parser.nextToken() != null) {
            throw new MalformedRequest(NO_OBJECT);
          }
          return review;
        });
  }

  /// True if containers are added to a running pod, as by `kubectl debug`.
  ///
  /// @param request the request of a review or of its head
  public static boolean addsContainers(JsonNode request) {
    return request.path("operation").asText().equals("UPDATE")
        && request.path("subResource").asText().equals("ephemeralcontainers");
  }

  /// Returns the texts of a review and of its request that come before the objects. Reads at most
  /// the first 4 KiB. If these end before, the last texts are absent.
  ///
  /// @return empty if the body does not begin as a review with a `uid`, so it cannot be answered
  public static Optional<ObjectNode> head(byte[] body) {
    ObjectNode head = JsonNodeFactory.instance.objectNode();
    ObjectNode request = head.putObject("request");
    try {
      JsonCursor.parse(
          Arrays.copyOf(body, Math.min(body.length, HEAD)),
          parser -> {
            parser.nextToken();
            readTexts(parser, head, Set.of("request"));
            parser.nextToken();
            readTexts(parser, request, REST);
            return head;
          });
    } catch (MalformedRequest _) {
      // The first bytes of a review end anywhere. What comes before counts.
    }
    return head.path("kind").asText().equals("AdmissionReview") && request.has("uid")
        ? Optional.of(head)
        : Optional.empty();
  }

  /// Reads texts of an object until one of the keys.
  private static void readTexts(JsonParser parser, ObjectNode texts, Set<String> until)
      throws IOException {
    for (String key = parser.nextFieldName();
        key != null && !until.contains(key);
        key = parser.nextFieldName()) {
      if (parser.nextToken() == JsonToken.VALUE_STRING) {
        texts.put(key, parser.getText());
      }
      parser.skipChildren();
    }
  }
}
