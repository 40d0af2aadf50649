package dev.muster.server.http;

import java.util.List;

/// What kube-scheduler would evict, by node, in the order sent.
sealed interface Candidates permits Candidates.Listed, VictimsInBody {
  /// No candidates.
  Candidates NONE = new Listed(List.of());

  /// Those that evict none of these pods.
  ///
  /// @param uids the uids of the pods to keep
  Candidates sparing(NameSet uids);

  /// Decoded candidates.
  record Listed(List<PreemptionArgs.Candidate> list) implements Candidates {
    public Listed {
      list = List.copyOf(list);
    }

    @Override
    public Candidates sparing(NameSet uids) {
      return new Listed(
          list.stream().filter(c -> c.uids().stream().noneMatch(uids::contains)).toList());
    }
  }
}
