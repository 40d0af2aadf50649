package dev.muster.core.cycle;

import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.state.Effect;
import dev.muster.core.state.WaitClass;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// A cycle result collects the decisions and effects of one [Cycle].
///
/// It is mutable: a cycle may make 100,000 decisions, and a copy at each would cost the square of
/// that.
public final class CycleResult {
  private final List<Decision> decisions = new ArrayList<>();
  private final TreeSet<GangId> touched = new TreeSet<>();
  private final List<Effect> effects = new ArrayList<>();
  private List<WaitClass.Key> doubted = List.of();

  /// Returns the decisions, in order.
  public List<Decision> decisions() {
    return Collections.unmodifiableList(decisions);
  }

  /// Returns the gangs with a changed reservation, preemption or status. Those touched before the
  /// first scheduling round are tried in it.
  public SortedSet<GangId> touched() {
    return Collections.unmodifiableSortedSet(touched);
  }

  /// Returns the effects, in order.
  public List<Effect> effects() {
    return Collections.unmodifiableList(effects);
  }

  /// Returns the classes to try although nothing changed in their favour: their answers may be out
  /// of date.
  public List<WaitClass.Key> doubted() {
    return doubted;
  }

  /// Adds a decision.
  public void add(Decision decision) {
    decisions.add(decision);
  }

  /// Adds an effect.
  public void add(Effect effect) {
    effects.add(effect);
  }

  /// Marks the gang as changed.
  public void touch(GangId gang) {
    touched.add(gang);
  }

  /// Marks each of the gangs as changed.
  public void touch(Collection<GangId> gangs) {
    touched.addAll(gangs);
  }

  /// Sets the classes to be tried although nothing changed in their favour.
  public void doubt(List<WaitClass.Key> classes) {
    doubted = classes;
  }
}
