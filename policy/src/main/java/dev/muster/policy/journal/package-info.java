/// The journal of a run as JSON Lines, and its replay.
///
/// It holds every event that reached the engine and every decision of the engine. A replay feeds
/// the events to an engine and compares the decisions. [dev.muster.policy.journal.JournalWriter]
/// writes, [dev.muster.policy.journal.JournalReader] reads, [dev.muster.policy.journal.Replay]
/// compares. `docs/journal.md` describes the format.
@NullMarked
package dev.muster.policy.journal;

import org.jspecify.annotations.NullMarked;
