package dev.muster.server.http.extender;

import java.util.List;
import java.util.Optional;

/// A preempt call.
///
/// @param pod the pod that would preempt; absent when the caller sent null
/// @param candidates what kube-scheduler would evict, by node, in the order sent
/// @param casing how to write the answer
public record PreemptionArgs(Optional<ExtenderPod> pod, List<Candidate> candidates, KeyCasing casing) {
  public PreemptionArgs {
    candidates = List.copyOf(candidates);
  }

  /// The pods to evict from one node.
  ///
  /// @param node the node's name
  /// @param uids the victims, as uids; empty when the node fits without evictions (kube-scheduler
  ///   1.38)
  /// @param pdbViolations how many disruption budgets the evictions would break
  public record Candidate(String node, List<String> uids, long pdbViolations) {
    public Candidate {
      uids = List.copyOf(uids);
    }
  }
}
