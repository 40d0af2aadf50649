package dev.muster.server.http.stream;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.State;
import java.util.LinkedHashSet;
import java.util.Optional;

/// The last changes, so that a caller whose connection was cut gets what it missed.
///
/// Each changed key is kept once, with the version of its last change. So all that changed after a
/// version are the keys of later versions: nothing is added up, however old the version is.
///
/// Threads: one notes images; any other reads.
final class ChangeLog {
  /// Versions that are known: those of some minutes, as there is at most one in a second.
  static final int KEPT = 300;

  private final LinkedHashSet<Long> known = new LinkedHashSet<>(); // but the newest; oldest first
  private final RecentKeys<GangId> gangs = new RecentKeys<>(Change.MOST);
  private final RecentKeys<NodeId> nodes = new RecentKeys<>(Change.MOST);
  private long wholeAt = Long.MIN_VALUE; // version of the last change that names no key
  private volatile State newest;

  ChangeLog(State first) {
    this.newest = first;
  }

  /// Compares the image with the one before.
  void note(State image) {
    if (image.cluster().version() != version()) {
      add(Change.between(newest, image), image);
    }
  }

  private synchronized void add(Change change, State image) {
    known.addLast(change.from());
    if (known.size() > KEPT) {
      known.removeFirst();
    }
    wholeAt = change.whole() ? change.to() : wholeAt;
    gangs.add(change.gangs(), change.to());
    nodes.add(change.nodes(), change.to());
    newest = image;
  }

  /// Returns the newest image that was noted.
  State image() {
    return newest;
  }

  /// Returns the version of the newest image that was noted.
  long version() {
    return newest.cluster().version();
  }

  /// True if it is known what changed after the version.
  synchronized boolean isKnown(long version) {
    return version == version() || known.contains(version);
  }

  /// Returns all that changed after the version; absent if that is not known any more.
  synchronized Optional<Change> since(long version) {
    return isKnown(version)
        ? Optional.of(
            new Change(
                version, version(), gangs.after(version), nodes.after(version), wholeAt > version))
        : Optional.empty();
  }
}
