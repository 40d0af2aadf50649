package dev.muster.server.http.extender;

import java.util.List;
import java.util.Optional;

/// A preempt call.
///
/// @param pod preempting pod; absent when the caller sent null
/// @param candidates evictions that kube-scheduler proposes, by node, in the order sent
/// @param casing spelling of the answer's keys
public record PreemptionArgs(
    Optional<ExtenderPod> pod, List<Candidate> candidates, KeyCasing casing) {
  public PreemptionArgs {
    candidates = List.copyOf(candidates);
  }

  /// The pods to evict from one node.
  ///
  /// @param node name of the node
  /// @param uids uids of the victims; empty when the pod fits without evictions (kube-scheduler
  ///   1.38)
  /// @param pdbViolations number of disruption budgets that the evictions would break
  public record Candidate(String node, List<String> uids, long pdbViolations) {
    public Candidate {
      uids = List.copyOf(uids);
    }
  }
}
