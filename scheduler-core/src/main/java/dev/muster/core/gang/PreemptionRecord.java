package dev.muster.core.gang;

import dev.muster.core.collect.SortedTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The record of preemptions that Muster writes on a gang's object; a restart recovers it.
///
/// @param victims the gangs that are being preempted for this gang; not trusted, as the owner of
///   the object may have edited it
/// @param stopped times at which this gang was itself preempted, oldest first; only the last ones
/// @param notice the gang's last notice of preemption, if any
public record PreemptionRecord(
    SortedTable<GangId, Victim> victims, List<Instant> stopped, Optional<Notice> notice) {
  /// A notice of preemption to a victim.
  ///
  /// @param by the preemptor
  /// @param deadline latest time of the eviction; absent: at once
  public record Notice(GangId by, Optional<Instant> deadline) {}

  /// An empty record.
  public static final PreemptionRecord NONE =
      new PreemptionRecord(SortedTable.empty(), List.of(), Optional.empty());

  public PreemptionRecord {
    stopped = List.copyOf(stopped);
  }
}
