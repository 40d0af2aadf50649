package dev.muster.core.engine;

import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// What a step has come to so far, besides its state: handed from part to part of [Engine#step],
/// each of which adds to it.
final class News {
  private final List<Decision> decisions = new ArrayList<>();
  private final TreeSet<GangId> touched = new TreeSet<>();
  private final List<Effect> effects = new ArrayList<>();
  private List<WaitClass.Key> doubted = List.of();

  /// What was decided, in order.
  List<Decision> decisions() {
    return Collections.unmodifiableList(decisions);
  }

  /// The gangs for which something may be asked of the world, or of which there may be something to
  /// show. Those touched before the turns are tried in them.
  SortedSet<GangId> touched() {
    return Collections.unmodifiableSortedSet(touched);
  }

  /// What is asked of the world, in order.
  List<Effect> effects() {
    return Collections.unmodifiableList(effects);
  }

  /// Classes to be asked anew, though nothing has come that helps them.
  List<WaitClass.Key> doubted() {
    return doubted;
  }

  void add(Decision decision) {
    decisions.add(decision);
  }

  void touch(GangId gang) {
    touched.add(gang);
  }

  void touch(Collection<GangId> gangs) {
    touched.addAll(gangs);
  }

  void add(Effect effect) {
    effects.add(effect);
  }

  void doubt(List<WaitClass.Key> classes) {
    doubted = classes;
  }
}
