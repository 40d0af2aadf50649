package dev.muster.core.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/// The rules of docs/preemption.md on victims and guarantees, in plain numbers of GPUs.
///
/// @param guarantees guarantee of each queue that has one
record QueueRuleModel(SortedMap<String, Integer> guarantees) {
  /// A gang that asks, waits or leaves.
  ///
  /// @param gpus GPUs that it asks for, or that leave
  /// @param least fewest GPUs with which it could start again
  record Party(String queue, int priority, int gpus, int least) {}

  /// Returns the GPUs by which other queues fall below their guarantees.
  ///
  /// It is empty if the victims may not leave for the preemptor.
  ///
  /// @param use GPUs that each queue uses
  /// @param waiting gangs that wait, without the preemptor
  OptionalInt shortfall(
      Map<String, Integer> use, List<Party> waiting, Party preemptor, List<Party> victims) {
    int own = 0;
    TreeMap<String, List<Integer>> lenders = new TreeMap<>();
    boolean lower = true;
    for (Party victim : victims) {
      boolean isLower = victim.priority() < preemptor.priority();
      if (victim.queue().equals(preemptor.queue())) {
        own += victim.gpus();
        if (!isLower) {
          return OptionalInt.empty();
        }
      } else {
        lower &= isLower;
        lenders.computeIfAbsent(victim.queue(), _ -> new ArrayList<>()).add(victim.gpus());
      }
    }
    List<Party> waitThen = new ArrayList<>(waiting);
    waitThen.addAll(victims);
    int shortfall = 0;
    boolean reclaimable = false;
    for (String lender : lenders.keySet()) {
      int left = use.getOrDefault(lender, 0);
      int guarantee = guarantees.getOrDefault(lender, 0);
      for (int gpus : lenders.get(lender).stream().sorted(Comparator.naturalOrder()).toList()) {
        if (left <= guarantee) {
          return OptionalInt.empty();
        }
        left -= gpus;
      }
      shortfall += Math.max(0, guarantee - left);
      for (Party party : waitThen) {
        reclaimable |=
            left < guarantee && party.queue().equals(lender) && party.least() <= guarantee;
      }
    }
    int after = use.getOrDefault(preemptor.queue(), 0) - own + preemptor.gpus();
    boolean covered = after <= guarantees.getOrDefault(preemptor.queue(), -1);
    return lenders.isEmpty() || covered || (lower && !reclaimable)
        ? OptionalInt.of(shortfall)
        : OptionalInt.empty();
  }
}
