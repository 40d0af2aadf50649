package dev.muster.server.http.screen;

import java.util.List;

/// What surrounds the content of a screen: the title, and the links to the other screens.
///
/// All links are relative, so that the screens work behind a proxy that serves them below a path of
/// its own, as the API server's proxy of services does.
///
/// @param title title of the screen
/// @param path path of the request, as the server sees it
/// @param hasToken true if the browser keeps a token for these screens
public record Frame(String title, String path, boolean hasToken) {
  private static final List<Entry> ENTRIES =
      List.of(
          new Entry("Cluster", ""),
          new Entry("Queue", "queue"),
          new Entry("Gangs", "gangs"),
          new Entry("Share", "share"),
          new Entry("Usage", "usage"),
          new Entry("Preemptions", "preemptions"),
          new Entry("Server", "server"));

  /// A screen in the navigation.
  ///
  /// @param path path below the first screen
  record Entry(String name, String path) {}

  List<Entry> entries() {
    return ENTRIES;
  }

  /// Returns the relative path from this screen to the first one, with a slash at its end.
  String base() {
    int depth = (int) path.chars().filter(each -> each == '/').count() - 1;
    return depth <= 0 ? "./" : "../".repeat(depth);
  }

  boolean isCurrent(Entry entry) {
    return path.equals("/" + entry.path());
  }
}
