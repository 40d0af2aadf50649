package dev.muster.server.http;

import java.util.List;
import java.util.function.Predicate;

/// What kube-scheduler would evict, by node, in the order sent.
sealed interface ProposedVictims permits ProposedVictims.Listed, VictimsInBody {
  /// No candidates.
  ProposedVictims NONE = new Listed(List.of());

  /// Those that evict none of these pods.
  ///
  /// @param uids the uids of pods that are not evicted
  ProposedVictims sparing(NameSet uids);

  /// Those that evict none of these pods, and of the others those that may go on.
  ///
  /// @param uids the uids of pods that are not evicted without asking
  /// @param mayGoOn asked about each candidate with such a pod
  ProposedVictims sparing(NameSet uids, Predicate<PreemptionArgs.Candidate> mayGoOn);

  /// Decoded candidates.
  record Listed(List<PreemptionArgs.Candidate> list) implements ProposedVictims {
    public Listed {
      list = List.copyOf(list);
    }

    @Override
    public ProposedVictims sparing(NameSet uids) {
      return sparing(uids, _ -> false);
    }

    @Override
    public ProposedVictims sparing(NameSet uids, Predicate<PreemptionArgs.Candidate> mayGoOn) {
      return new Listed(
          list.stream()
              .filter(c -> c.uids().stream().noneMatch(uids::contains) || mayGoOn.test(c))
              .toList());
    }
  }
}
