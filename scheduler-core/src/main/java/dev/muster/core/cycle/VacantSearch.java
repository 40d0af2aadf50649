package dev.muster.core.cycle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.diagnosis.Hopelessness;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.State;
import dev.muster.core.state.VacantCluster;
import java.util.List;
import java.util.Optional;

/// A vacant search decides whether a gang could start if it were alone on the cluster.
///
/// It asks the placement search itself, on the [VacantCluster]. So a gang is hopeless exactly if
/// its own search would refuse it there. Its own pods that leave count as gone. Only gangs of which
/// no member has a place are judged, by the members that their minimum needs, and by others that
/// may start instead.
///
/// Example: three nodes of 4 GPUs hold three members of 3. A gang of four such members needs the 12
/// GPUs that the cluster has, and can never start.
///
/// @param after the state with the answer
/// @param never the reason why the gang can never start; empty if it could
/// @param searched whether a place was searched; false if an earlier answer is valid
record VacantSearch(State after, Optional<Veto> never, boolean searched) {
  /// Nothing was asked.
  static VacantSearch none(State state) {
    return new VacantSearch(state, Optional.empty(), false);
  }

  /// Judges the gang by its members that need a place, which are given in rank order.
  static VacantSearch of(State state, Gang gang, List<Member> wanting) {
    Cluster cluster = state.cluster();
    int least = cluster.lacking(gang);
    boolean judged =
        gang.boundCount() == 0
            && !cluster.reservations().contains(gang.id())
            && least > 0
            && least <= wanting.size();
    return judged ? ask(state, gang, wanting, least) : none(state);
  }

  private static VacantSearch ask(State state, Gang gang, List<Member> wanting, int least) {
    VacantCluster vacancy = state.forecasts().vacancy().asOf(state.cluster());
    boolean chooses = PendingMembers.mayChoose(state.cluster(), gang);
    List<Member> members = wanting.subList(0, least);
    List<Member> asked = chooses ? state.cluster().unpromised(gang) : members;
    String shape =
        VacantCluster.shape(asked, gang.constraints())
            + (chooses ? " " + least + " of " + PendingMembers.atMost(state.cluster(), gang) : "");
    boolean alike = !PendingMembers.haveShiftedSlices(gang);
    Optional<Optional<Veto>> known =
        alike ? vacancy.answers().get(shape) : Optional.<Optional<Veto>>empty();
    if (known.isPresent()) {
      return new VacantSearch(state.with(vacancy), known.get(), false);
    }
    Cluster vacant = vacancy.image().orElseThrow();
    StartableMembers.Choice last =
        new StartableMembers.Choice(members, search(vacant, gang, members));
    if (!last.isFound() && chooses) {
      last =
          StartableMembers.of(
              asked,
              PendingMembers.atMost(state.cluster(), gang),
              least,
              vacant.nodes().size(),
              some -> search(vacant, gang, some));
    }
    boolean complete = !chooses || PendingMembers.areNested(requests(asked)); // else it may give up
    Optional<Veto> never =
        complete && last.result() instanceof SearchResult.NotFound none
            ? Hopelessness.never(none.main(), last.members())
            : Optional.empty();
    return new VacantSearch(state.with(alike ? vacancy.with(shape, never) : vacancy), never, true);
  }

  private static List<Request> requests(List<Member> members) {
    return members.stream().map(Member::request).distinct().toList();
  }

  private static SearchResult search(Cluster vacant, Gang gang, List<Member> members) {
    return PlacementSearch.search(vacant, gang, members, SortedKeys.empty());
  }
}
