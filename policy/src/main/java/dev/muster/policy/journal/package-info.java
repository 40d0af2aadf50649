/// The journal of a run as JSON Lines, and its replay: every event that reached the engine and
/// every decision it took, so that the same engine given the same events can be shown to decide the
/// same.
///
/// [dev.muster.policy.journal.JournalWriter] writes, [dev.muster.policy.journal.JournalReader]
/// reads, [dev.muster.policy.journal.Replay] compares. The format is described in
/// `docs/journal.md`.
@NullMarked
package dev.muster.policy.journal;

import org.jspecify.annotations.NullMarked;
