package dev.muster.server.http.screen;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/// The files that the screens load: a style sheet, a script and an icon. Everything comes from
/// Muster itself.
public final class ScreenAssets {
  /// The media type of each file.
  public static final Map<String, String> TYPES =
      Map.of(
          "muster.css",
          "text/css; charset=utf-8",
          "live.js",
          "text/javascript; charset=utf-8",
          "icon.svg",
          "image/svg+xml");

  private ScreenAssets() {}

  /// Returns a file of [#TYPES].
  public static byte[] bytes(String name) {
    try (InputStream in = ScreenAssets.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar of Muster.");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
