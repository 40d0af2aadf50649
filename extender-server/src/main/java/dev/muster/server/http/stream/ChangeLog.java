package dev.muster.server.http.stream;

import dev.muster.core.state.State;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The last changes, so that a caller whose connection was cut gets what it missed.
///
/// Threads: any.
final class ChangeLog {
  /// Changes that are kept: some minutes, as there is at most one in a second.
  static final int KEPT = 300;

  private final Deque<Change> changes = new ArrayDeque<>(); // oldest first, without gaps
  private State newest;

  ChangeLog(State first) {
    this.newest = first;
  }

  /// Compares the image with the one before.
  synchronized void note(State image) {
    if (image.cluster().version() == newest.cluster().version()) {
      return;
    }
    Change change = Change.between(newest, image);
    newest = image;
    changes.addLast(change);
    if (changes.size() > KEPT) {
      changes.removeFirst();
    }
  }

  /// Returns the newest image that was noted.
  synchronized State image() {
    return newest;
  }

  /// Returns the version of the newest image that was noted.
  long version() {
    return image().cluster().version();
  }

  /// Returns all that changed after the version; absent if that is not known any more.
  synchronized Optional<Change> since(long version) {
    if (version == version()) {
      return Optional.of(Change.none(version));
    }
    @Nullable Change sum = null;
    for (Iterator<Change> each = changes.descendingIterator(); each.hasNext(); ) {
      Change change = each.next();
      sum = sum == null ? change : change.plus(sum);
      if (change.from() == version) {
        return Optional.of(sum);
      }
    }
    return Optional.empty();
  }
}
