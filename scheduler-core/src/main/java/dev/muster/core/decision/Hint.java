package dev.muster.core.decision;

import dev.muster.core.gang.GangId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A small change with which a waiting gang would start now.
public sealed interface Hint {
  /// The required level becomes a preferred one.
  record Prefer(String level) implements Hint {}

  /// The gang accepts any GPU model.
  record AnyModel() implements Hint {}

  /// The gang accepts different GPU models for its members.
  record Mix() implements Hint {}

  /// The gang declares that it ends within this time, before a gang ahead of it needs the kept
  /// capacity.
  record EndWithin(Duration time) implements Hint {}

  /// The gang starts with this number of members.
  record Fewer(int members) implements Hint {}

  /// This running gang ends.
  ///
  /// @param expected its expected end; absent when not known
  record Leave(GangId gang, Optional<Instant> expected) implements Hint {}

  /// Other changes may start the gang, too: not all were tried, because searches are bounded.
  ///
  /// @param searches the searches that were made
  record NotComputed(int searches) implements Hint {}

  /// Returns the hint as one sentence.
  default String sentence() {
    return switch (this) {
      case Prefer(String level) ->
          "It would start now if %s were preferred, not required.".formatted(level);
      case AnyModel _ -> "It would start now if it accepted any GPU model.";
      case Mix _ -> "It would start now if it accepted different GPU models for its members.";
      case EndWithin(Duration time) ->
          "It would start now if it declared a run time of at most %s."
              .formatted(ReasonText.duration(time));
      case Fewer(int members) ->
          "%d member%s would start now.".formatted(members, members == 1 ? "" : "s");
      case Leave(GangId gang, Optional<Instant> expected) ->
          "It could start when %s ends%s."
              .formatted(gang, expected.map(at -> ", expected at " + at).orElse(""));
      case NotComputed(int searches) ->
          "Further changes were not computed: the limit was reached after %d search%s."
              .formatted(searches, searches == 1 ? "" : "es");
    };
  }
}
