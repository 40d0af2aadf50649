package dev.muster.server.kube;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/// A record about many pods as the text of an annotation. All annotations of an object have 256 KiB
/// together, so a long one is written as `{"gzip":"<base64>"}`: a third of its length, most of
/// which are the pods' uids.
final class LongRecord {
  /// Shorter ones stay readable, in characters.
  static final int LONG = 64 * 1024;

  /// What a forged record may unpack to at most, in bytes. As a tree that takes thirty times as
  /// much; no honest one in an annotation of 256 KiB comes near: the uids hardly shrink.
  private static final int MOST = 2 << 20;

  private static final ObjectMapper JSON = new ObjectMapper();

  private LongRecord() {}

  static String text(ObjectNode record) {
    String text = record.toString();
    return text.length() <= LONG ? text : Json.object().put("gzip", packed(text)).toString();
  }

  /// @param annotation where the text was found
  /// @throws IllegalArgumentException when the text is no record
  static JsonNode read(String annotation, String text) {
    try {
      JsonNode record = JSON.readTree(text);
      return record.has("gzip") ? JSON.readTree(unpacked(record.path("gzip").asText())) : record;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "The annotation %s is no JSON: %s".formatted(annotation, e.getOriginalMessage()), e);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The annotation %s cannot be unpacked: %s".formatted(annotation, e.getMessage()), e);
    }
  }

  private static String packed(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("Memory cannot be written to.", e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  private static String unpacked(String packed) throws IOException {
    byte[] bytes = Base64.getDecoder().decode(packed);
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      byte[] text = gzip.readNBytes(MOST + 1);
      if (text.length > MOST) {
        throw new IOException("It has more than %d bytes.".formatted(MOST));
      }
      return new String(text, StandardCharsets.UTF_8);
    }
  }
}
