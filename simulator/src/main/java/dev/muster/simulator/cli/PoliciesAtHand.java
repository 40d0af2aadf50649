package dev.muster.simulator.cli;

import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.policy.preemption.PolicyLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The preemption policies that were named, by their revisions.
///
/// @param byRevision the policies
record PoliciesAtHand(SortedMap<String, PreemptionPolicy> byRevision) {
  /// @throws IllegalArgumentException if one is not valid
  static PoliciesAtHand read(List<Path> places) {
    SortedMap<String, PreemptionPolicy> read = new TreeMap<>();
    for (Path place : places) {
      PreemptionPolicy policy = read(place);
      read.put(policy.revision(), policy);
    }
    return new PoliciesAtHand(read);
  }

  /// The policy in this file or folder.
  ///
  /// @throws IllegalArgumentException if it is not valid
  static PreemptionPolicy read(Path place) {
    return PolicyLoader.plain(place).orThrow(IllegalArgumentException::new);
  }

  /// The policy of this revision; nobody is stopped where there was none.
  ///
  /// @throws IllegalArgumentException if it is not at hand
  PreemptionPolicy revision(String wanted) {
    if (wanted.isEmpty()) {
      return PreemptionPolicy.OFF;
    }
    PreemptionPolicy found = byRevision.get(wanted);
    if (found == null) {
      throw new IllegalArgumentException(
          "preemption policy revision %s is required, but %s given. Pass that version of the file with --preemption; a revision is the start of the file's sha256sum."
              .formatted(
                  wanted,
                  byRevision.isEmpty()
                      ? "none was"
                      : "only " + String.join(", ", byRevision.keySet()) + " was"));
    }
    return found;
  }
}
