package dev.muster.core.gang;

import dev.muster.core.collect.SortedTable;
import java.time.Instant;
import java.util.List;

/// What we wrote of preemptions on a gang's object: what a restart recovers.
///
/// @param victims the gangs that are being stopped for it
/// @param stopped when it was itself stopped for others, oldest first; the last ones
public record PreemptionRecord(SortedTable<GangId, Victim> victims, List<Instant> stopped) {
  /// Nothing was written.
  public static final PreemptionRecord NONE = new PreemptionRecord(SortedTable.empty(), List.of());

  public PreemptionRecord {
    stopped = List.copyOf(stopped);
  }
}
