package dev.muster.core.decision;

import dev.muster.core.gang.GangId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A small change that would start a waiting gang now.
public sealed interface Hint {
  /// The required level were only preferred.
  record Prefer(String level) implements Hint {}

  /// Any GPU model would do.
  record AnyModel() implements Hint {}

  /// Its members might get different GPU models.
  record Mix() implements Hint {}

  /// It were known to end in this time, before the room is needed that is held for a gang before
  /// it.
  record EndWithin(Duration time) implements Hint {}

  /// It could start with so many members.
  record Fewer(int members) implements Hint {}

  /// This running gang were gone.
  ///
  /// @param expected when it is expected to end; absent when nobody knows
  record Leave(GangId gang, Optional<Instant> expected) implements Hint {}

  /// One sentence.
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
