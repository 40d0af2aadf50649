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

  /// Returns the hint as one sentence.
  default String sentence() {
    return switch (this) {
      case Prefer(String level) -> "With %s only preferred it would start now.".formatted(level);
      case AnyModel _ -> "If any GPU model would do it would start now.";
      case Mix _ -> "If its members might get different GPU models it would start now.";
      case EndWithin(Duration time) ->
          "If it said that it ends within %s it would start now."
              .formatted(ReasonText.duration(time));
      case Fewer(int members) ->
          "%d member%s would start now.".formatted(members, members == 1 ? "" : "s");
      case Leave(GangId gang, Optional<Instant> expected) ->
          "It could start when %s ends%s."
              .formatted(gang, expected.map(at -> ", expected at " + at).orElse(""));
    };
  }
}
