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

  /// Number of pods in a record. No more fit in 256 KiB of annotations, since the random part of a
  /// uid has 122 bits, and base64 makes four characters of 24 bits.
  static final int PODS = 13_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private CompressedRecord() {}

  static String text(ObjectNode record) {
    String text = record.toString();
    return text.length() <= LONG ? text : JsonBodies.object().put("gzip", packed(text)).toString();
  }

  /// @param annotation annotation that holds the text
  /// @param signs commas and colons that the record has at most for each pod
  /// @throws IllegalArgumentException if the text is no record
  static JsonNode read(String annotation, String text, int signs) {
    try {
      JsonNode record = JSON.readTree(bounded(text, signs));
      return record.has("gzip")
          ? JSON.readTree(bounded(unpacked(record.path("gzip").asText()), signs))
          : record;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "The annotation %s is not JSON: %s".formatted(annotation, e.getOriginalMessage()), e);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The annotation %s cannot be decompressed: %s".formatted(annotation, e.getMessage()), e);
    }
  }

  /// Returns the text if it has no more values than the longest genuine record. A tree of many
  /// short values takes far more memory than its text.
  private static String bounded(String text, int signs) throws IOException {
    long found = text.chars().filter(sign -> sign == ',' || sign == ':').count();
    if (found > (long) signs * PODS) {
      throw new IOException("It has more values than a record of %d pods.".formatted(PODS));
    }
    return text;
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
