package dev.muster.server.http.extender;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/// Reads an AdmissionReview of `admission.k8s.io/v1`.
public final class ReviewReader {
  private static final ObjectMapper MAPPER = new ObjectMapper(JsonCursor.FACTORY);
  private static final String NO_OBJECT = "The body is not one JSON object.";

  private ReviewReader() {}

  /// Returns the whole review.
  ///
  /// @throws MalformedRequest if the body is not a JSON object; [MalformedRequest.Excessive] if it
  ///   exceeds a bound
  public static JsonNode tree(byte[] body) throws MalformedRequest {
    return JsonCursor.parseTree(
        body,
        parser -> {
          JsonNode review = MAPPER.readTree(parser);
          if (review == null || !review.isObject() || parser.nextToken() != null) {
            throw new MalformedRequest(NO_OBJECT);
          }
          return review;
        });
  }

  /// Returns what the answer repeats of a review, and reads no further. The API server writes it
  /// first.
  ///
  /// @throws MalformedRequest if the body is not a JSON object
  public static ObjectNode head(byte[] body) throws MalformedRequest {
    ObjectNode head = JsonNodeFactory.instance.objectNode();
    return JsonCursor.parse(
        body,
        parser -> {
          if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new MalformedRequest(NO_OBJECT);
          }
          for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
            parser.nextToken();
            if (key.equals("request")) {
              head.putObject("request").put("uid", uid(parser));
              break;
            }
            if (key.equals("apiVersion")) {
              head.put(key, parser.getText());
            }
            parser.skipChildren();
          }
          return head;
        });
  }

  private static String uid(JsonParser parser) throws IOException {
    for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
      parser.nextToken();
      if (key.equals("uid")) {
        return parser.getText();
      }
      parser.skipChildren();
    }
    return "";
  }
}
