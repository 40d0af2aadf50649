package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.decision.PlainText;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/// Documents as JSON and YAML that a terminal shows as they are.
///
/// A text of a tenant can hold any character. In JSON and YAML, each one that a terminal would obey
/// is written as an escape, so a program still reads the same text.
final class DocumentText {
  private DocumentText() {}

  static String json(JsonNode document) {
    return escaped(document.toPrettyString()) + System.lineSeparator();
  }

  static String yaml(JsonNode document) {
    return escaped(new KubernetesSerialization().asYaml(document));
  }

  /// Outside of strings, JSON and this YAML have no such characters but line ends.
  private static String escaped(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each == '\n' || each == '\r' || PlainText.isPlain(each)) {
        plain.append(each);
      } else {
        plain.append("\\u%04x".formatted((int) each));
      }
    }
    return plain.toString();
  }
}
