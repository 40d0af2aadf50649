package dev.muster.server.http.screen;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// The relative address of a screen, which can be extended by parameters.
///
/// @param path path from the current screen
/// @param parameters values that are not empty
record ScreenUrl(String path, Map<String, String> parameters) {
  static ScreenUrl of(String path) {
    return new ScreenUrl(path, Map.of());
  }

  /// Returns the address of the screen of a gang.
  static String gang(String base, String namespace, String name) {
    return base + "gangs/" + encoded(namespace) + "/" + encoded(name);
  }

  /// Returns the address of the screen of a gang in the form `namespace/name`.
  static String gang(String base, String id) {
    int slash = id.indexOf('/');
    return slash < 0
        ? base + "gangs/-/" + encoded(id)
        : gang(base, id.substring(0, slash), id.substring(slash + 1));
  }

  /// Returns the address with this parameter; without it if the value is empty.
  ScreenUrl with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(parameters);
    more.remove(name);
    if (!value.isEmpty()) {
      more.put(name, value);
    }
    return new ScreenUrl(path, more);
  }

  String text() {
    StringBuilder text = new StringBuilder(path);
    char before = '?';
    for (Map.Entry<String, String> each : parameters.entrySet()) {
      text.append(before)
          .append(encoded(each.getKey()))
          .append('=')
          .append(encoded(each.getValue()));
      before = '&';
    }
    return text.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
