package dev.muster.simulator.cli;

import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The preemption policies given on the command line, by their revisions.
///
/// @param byRevision the policies
record PolicyRevisions(SortedMap<String, PreemptionPolicy> byRevision) {
  /// Reads the policies from files or folders.
  ///
  /// @throws IllegalArgumentException if one is not valid
  static PolicyRevisions read(List<Path> places) {
    SortedMap<String, PreemptionPolicy> read = new TreeMap<>();
    for (Path place : places) {
      PreemptionPolicy policy = read(place);
      read.put(policy.revision(), policy);
    }
    return new PolicyRevisions(read);
  }

  /// Reads the policy from this file or folder.
  ///
  /// @throws IllegalArgumentException if it is not valid
  static PreemptionPolicy read(Path place) {
    return PolicyLoader.plain(place).orThrow(IllegalArgumentException::new);
  }

  /// Returns the policy of a revision; the empty revision means that preemption is off.
  ///
  /// @throws IllegalArgumentException if the policy was not given
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
