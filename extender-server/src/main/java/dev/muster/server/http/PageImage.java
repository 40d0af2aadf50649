package dev.muster.server.http;

import dev.muster.core.state.State;
import java.util.function.Supplier;

/// The image that pages show.
///
/// Requests that came before it was taken share it, with all that is computed once for an image. No
/// request gets an image that is older than the newest one at its arrival. So pages wait behind few
/// renderings, however often the cluster changes.
///
/// Threads: that of the pages.
final class PageImage implements Supplier<State> {
  private final Supplier<State> newest;
  private State taken;
  private long takenAt;

  /// @param newest newest published image
  PageImage(Supplier<State> newest) {
    this.newest = newest;
    this.takenAt = System.nanoTime();
    this.taken = newest.get();
  }

  /// Makes ready an image for a request.
  ///
  /// @param arrival nanoTime of its arrival
  void refresh(long arrival) {
    if (arrival - takenAt >= 0) {
      takenAt = System.nanoTime(); // before the image is taken: it may be newer, never older
      taken = newest.get();
    }
  }

  @Override
  public State get() {
    return taken;
  }
}
