package dev.muster.server.kube.codec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.JsonBodies;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/// Text of a record about many pods in an annotation. The annotations of an object are limited to
/// 256 KiB in total. So a long record is written as `{"gzip":"<base64>"}`, at a third of its
/// length; most of that are the uids of pods.
final class CompressedRecord {
  /// Length in characters from which a record is compressed; shorter ones stay readable.
  static final int LONG = 64 * 1024;

  /// Maximum size of an unpacked record in bytes, against forged records. As a tree, it takes
  /// thirty times as much memory. No genuine record in a 256 KiB annotation is near this limit,
  /// since uids hardly compress.
  private static final int MOST = 2 << 20;

  private static final ObjectMapper JSON = new ObjectMapper();

  private CompressedRecord() {}

  static String text(ObjectNode record) {
    String text = record.toString();
    return text.length() <= LONG ? text : JsonBodies.object().put("gzip", packed(text)).toString();
  }

  /// @param annotation annotation that holds the text
  /// @throws IllegalArgumentException if the text is no record
  static JsonNode read(String annotation, String text) {
    try {
      JsonNode record = JSON.readTree(text);
      return record.has("gzip") ? JSON.readTree(unpacked(record.path("gzip").asText())) : record;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "The annotation %s is not JSON: %s".formatted(annotation, e.getOriginalMessage()), e);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The annotation %s cannot be decompressed: %s".formatted(annotation, e.getMessage()), e);
    }
  }

  private static String packed(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory failed.", e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  private static String unpacked(String packed) throws IOException {
    byte[] bytes = Base64.getDecoder().decode(packed);
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      byte[] text = gzip.readNBytes(MOST + 1);
      if (text.length > MOST) {
        throw new IOException("It is larger than %d bytes.".formatted(MOST));
      }
      return new String(text, StandardCharsets.UTF_8);
    }
  }
}
