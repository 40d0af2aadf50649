package dev.muster.policy.preemption.explain;

import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PolicyVerdict.Allowed;
import dev.muster.core.victims.PolicyVerdict.Protected;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Durations;
import dev.muster.policy.preemption.FilePolicy;
import dev.muster.policy.preemption.PolicySettings;
import dev.muster.policy.preemption.PriorityFloor;
import dev.muster.policy.preemption.expression.GangPair;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Explains for each running gang if it may be preempted for another, by which rule and at what
/// price.
///
/// It knows the policy and the [PriorityFloor]. The engine adds limits over time, guarantees, and a
/// placement that works.
///
/// @param policy the policy
/// @param now the time of the decision
public record PolicyExplanation(PreemptionPolicy policy, Instant now) {
  /// The ruling on one gang.
  ///
  /// @param victim the gang
  /// @param ruling the ruling
  /// @param details the reasons, rule by rule, as far as the policy exposes them
  public record Line(GangProfile victim, PolicyVerdict ruling, List<String> details) {
    public Line {
      details = List.copyOf(details);
    }
  }

  /// Returns the ruling on each gang.
  ///
  /// Gangs that may be preempted come first, the cheapest first; then the others by name.
  public List<Line> of(GangProfile preemptor, List<GangProfile> running) {
    return running.stream()
        .filter(victim -> !victim.gang().equals(preemptor.gang()))
        .map(victim ->
            new Line(
                victim,
                PriorityFloor.verdict(policy, preemptor, victim, now),
                details(new GangPair(preemptor, victim, now))))
        .sorted(
            Comparator.comparing(Line::ruling, PolicyExplanation::cheaper)
                .thenComparing(line -> line.victim().gang()))
        .toList();
  }

  /// Returns the text: a line for each gang, and one for each reason below it.
  public List<String> text(GangProfile preemptor, List<GangProfile> running) {
    List<String> text = new ArrayList<>();
    text.add(head(preemptor));
    for (Line line : of(preemptor, running)) {
      text.add(
          "%s (queue %s, priority %d, %s): %s"
              .formatted(
                  line.victim().gang(),
                  line.victim().queue(),
                  line.victim().priority(),
                  gpus(line.victim()),
                  VerdictText.of(line.ruling(), policy.terms())));
      line.details().forEach(detail -> text.add("  " + detail));
    }
    return text;
  }

  private static String gpus(GangProfile gang) {
    return gang.gpus() + (gang.gpus() == 1 ? " GPU" : " GPUs");
  }

  private String head(GangProfile preemptor) {
    String mode =
        switch (policy.mode()) {
          case ENFORCE -> "";
          case SHADOW -> " Mode Shadow: preemptions are only reported.";
          case OFF -> " Mode Off: no gang is preempted.";
        };
    String delay =
        policy
            .delay(preemptor)
            .map(time -> time.isZero() ? "at once" : "after it has waited " + Durations.print(time))
            .orElse("never: its delay is unknown");
    return "For %s (queue %s, priority %d, %s) gangs may be preempted %s. Revision %s.%s"
        .formatted(
            preemptor.gang(),
            preemptor.queue(),
            preemptor.priority(),
            gpus(preemptor),
            delay,
            policy.revision(),
            mode);
  }

  private List<String> details(GangPair pair) {
    return FilePolicy.behind(policy)
        .map(file -> new PolicyTrace(file).of(pair))
        .orElseGet(List::of);
  }

  private static int cheaper(PolicyVerdict one, PolicyVerdict other) {
    return switch (one) {
      case Protected _ -> other instanceof Allowed ? 1 : 0;
      case Allowed(String _, List<Long> price, var _, Optional<?> _, boolean _) ->
          other instanceof Allowed there ? compare(price, there.price()) : -1;
    };
  }

  private static int compare(List<Long> one, List<Long> other) {
    for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
      int side = one.get(i).compareTo(other.get(i));
      if (side != 0) {
        return side;
      }
    }
    return 0;
  }

  /// Returns the rulings and settings that differ between two policies.
  ///
  /// It compares every waiting gang with every running one, and gives a line for each difference.
  public static List<String> changes(
      PreemptionPolicy before, PreemptionPolicy after, GangSnapshot snapshot) {
    List<String> changes = new ArrayList<>(PolicySettings.changes(before, after));
    for (GangProfile preemptor : snapshot.waiting()) {
      changed(
              "%s waits".formatted(preemptor.gang()),
              before.delay(preemptor).map(Durations::print),
              after.delay(preemptor).map(Durations::print))
          .ifPresent(changes::add);
      for (GangProfile victim : snapshot.running()) {
        PolicyVerdict was = PriorityFloor.verdict(before, preemptor, victim, snapshot.now());
        PolicyVerdict is = PriorityFloor.verdict(after, preemptor, victim, snapshot.now());
        String said = VerdictText.of(was, before.terms());
        String saidNow = VerdictText.of(is, after.terms());
        if (!said.equals(saidNow) && !victim.gang().equals(preemptor.gang())) {
          changes.add(
              "%s for %s:\n  - %s\n  + %s"
                  .formatted(victim.gang(), preemptor.gang(), said, saidNow));
        }
      }
    }
    return changes;
  }

  private static Optional<String> changed(String what, Optional<?> was, Optional<?> is) {
    return was.equals(is)
        ? Optional.empty()
        : Optional.of(
            "%s: %s -> %s"
                .formatted(
                    what,
                    was.map(Object::toString).orElse("never"),
                    is.map(Object::toString).orElse("never")));
  }
}
