package dev.muster.core.gang;

import dev.muster.core.collect.SortedTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What we wrote of preemptions on a gang's object: what a restart recovers.
///
/// @param victims the gangs that are being stopped for it; its owner may have written anything here
/// @param stopped when it was itself stopped for others, oldest first; the last ones
/// @param notice for whom it is being stopped, or was last
public record PreemptionRecord(
    SortedTable<GangId, Victim> victims, List<Instant> stopped, Optional<Notice> notice) {
  /// What a victim was told.
  ///
  /// @param by the gang that it is stopped for
  /// @param deadline when it is evicted at the latest; absent: at once
  public record Notice(GangId by, Optional<Instant> deadline) {}

  /// Nothing was written.
  public static final PreemptionRecord NONE =
      new PreemptionRecord(SortedTable.empty(), List.of(), Optional.empty());

  public PreemptionRecord {
    stopped = List.copyOf(stopped);
  }
}
