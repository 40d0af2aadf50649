package dev.muster.policy.preemption;

import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict.Protected;
import dev.muster.policy.file.Durations;
import dev.muster.policy.preemption.PolicyFields.MaxPreemptions;
import dev.muster.policy.preemption.PolicyFields.Protect;
import dev.muster.policy.preemption.expression.Expression;
import dev.muster.policy.preemption.expression.Expression.Unanswered;
import dev.muster.policy.preemption.expression.GangPair;
import dev.muster.policy.preemption.expression.RunProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A condition that spares a victim although a rule allows its preemption.
public sealed interface Protection {
  /// Returns its name in explanations.
  String name();

  /// Returns the refusal, with reason and end, if the protection holds for the pair.
  Optional<Protected> against(GangPair pair) throws Unanswered;

  /// True if the entry is written in a file, not a limit of the policy.
  default boolean isEntry() {
    return this instanceof Entry;
  }

  /// A protection from an entry of `protect`.
  ///
  /// @param fields the entry
  /// @param when its condition, compiled
  record Entry(Protect fields, Optional<Expression> when) implements Protection {
    /// A condition that holds: the reason, and the end if known.
    private record Held(String because, Optional<Instant> until) {}

    @Override
    public String name() {
      return fields.name();
    }

    @Override
    public Optional<Protected> against(GangPair pair) throws Unanswered {
      if (!fields.victims().fits(pair.victim())
          || !fields.preemptors().fits(pair.preemptor())
          || !isOn(pair.now())) {
        return Optional.empty();
      }
      Optional<Held> held = condition(pair);
      return held.map(why ->
          new Protected(
              name(),
              fields.reason().map(said -> why.because() + " " + stated(said)).orElse(why.because()),
              earliest(why.until(), pair.now())));
    }

    private String stated(String reason) {
      return fields.owner().map(who -> reason + " (" + who + ")").orElse(reason);
    }

    private boolean isOn(Instant now) {
      return fields.since().map(since -> !now.isBefore(since)).orElse(true)
          && fields.until().map(now::isBefore).orElse(true)
          && fields.window().map(window -> window.isOpen(now)).orElse(true);
    }

    private Optional<Instant> earliest(Optional<Instant> until, Instant now) {
      Optional<Instant> closes = fields.window().flatMap(window -> window.closes(now));
      return Stream.of(until, fields.until(), closes)
          .flatMap(Optional::stream)
          .min(Instant::compareTo);
    }

    private Optional<Held> condition(GangPair pair) throws Unanswered {
      GangProfile victim = pair.victim();
      if (fields.minRunTime().isPresent()) {
        return youngerThan(fields.minRunTime().get(), victim, pair.now());
      }
      if (fields.remaining().isPresent()) {
        return endsWithin(fields.remaining().get(), victim, pair.now());
      }
      if (fields.progress().isPresent()) {
        return beyond(fields.progress().get(), victim, pair.now());
      }
      if (fields.ownerMarked().isPresent()) {
        return held(!victim.preemptible(), "Its owner asks to spare it.");
      }
      return when.isEmpty()
          ? held(
              true,
              fields
                  .window()
                  .map(window -> "The policy spares it %s.".formatted(window.shown()))
                  .orElse("The policy spares it."))
          : held(when.get().holds(pair.variables()), "Its condition holds.");
    }

    private static Optional<Held> held(boolean holds, String because) {
      return holds ? Optional.of(new Held(because, Optional.empty())) : Optional.empty();
    }

    private static Optional<Held> youngerThan(Duration least, GangProfile victim, Instant now) {
      Duration left = least.minus(victim.ran());
      return left.isPositive()
          ? Optional.of(
              new Held(
                  "It has run for %s, less than %s."
                      .formatted(Durations.print(victim.ran()), Durations.print(least)),
                  Optional.of(now.plus(left))))
          : Optional.empty();
    }

    private static Optional<Held> endsWithin(Duration most, GangProfile victim, Instant now) {
      return victim
          .remaining()
          .filter(left -> left.compareTo(most) <= 0)
          .map(left ->
              new Held(
                  "It is expected to end in %s.".formatted(Durations.print(left)),
                  Optional.of(now.plus(left))));
    }

    private static Optional<Held> beyond(int percent, GangProfile victim, Instant now) {
      return RunProgress.percent(victim)
          .filter(done -> done >= percent)
          .map(done ->
              new Held(
                  "It has completed %d %% of its run.".formatted(done),
                  victim.remaining().map(now::plus)));
    }
  }

  /// Spares a gang for a while after a number of preemptions.
  ///
  /// Future times do not count, because the gang's owner may have written them.
  record Cap(MaxPreemptions most) implements Protection {
    /// Its name in explanations.
    static final String NAME = "maxPreemptions";

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public Optional<Protected> against(GangPair pair) {
      Instant since = pair.now().minus(most.per());
      List<Instant> recent =
          pair.victim().preempted().stream()
              .filter(time -> time.isAfter(since) && !time.isAfter(pair.now()))
              .sorted()
              .toList();
      if (recent.size() < most.count()) {
        return Optional.empty();
      }
      String because =
          "It was preempted %d times within %s."
              .formatted(recent.size(), Durations.print(most.per()));
      Instant free = recent.get(recent.size() - most.count()).plus(most.per());
      return Optional.of(new Protected(NAME, because, Optional.of(free)));
    }
  }
}
