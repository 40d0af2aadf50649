package dev.muster.core.preemption;

import dev.muster.core.cluster.Books;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Who may leave, asked of the policy once for each gang and only for gangs that are in the way.
final class Candidates {
  private final Preemptor preemptor;
  private final Map<GangId, List<Candidate>> heard = new LinkedHashMap<>();

  Candidates(Preemptor preemptor) {
    this.preemptor = preemptor;
  }

  /// The candidates with which the pod might leave.
  List<Candidate> of(MemberId pod) {
    return preemptor
        .image()
        .books()
        .charges()
        .get(pod)
        .map(Books.Charge::gang)
        .map(gang -> heard.computeIfAbsent(gang, preemptor::candidates))
        .orElse(List.of());
  }
}
