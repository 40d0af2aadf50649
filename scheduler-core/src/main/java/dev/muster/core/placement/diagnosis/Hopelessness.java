package dev.muster.core.placement.diagnosis;

import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import java.util.List;
import java.util.Optional;

/// Hopelessness is the reason why a gang can never start, from a refusal by a cluster without pods.
public final class Hopelessness {
  private Hopelessness() {}

  /// Returns the reason that corresponds to this refusal by empty nodes.
  ///
  /// It is empty if the search gave up before it had tried everything: the gang may fit after all.
  ///
  /// @param members the members that were refused
  public static Optional<Veto> never(Veto whenEmpty, List<Member> members) {
    return switch (whenEmpty) {
      case Veto.NotEnoughFree(String resource, long asked, long has)
          when areGpus(resource, members) ->
          Optional.of(new Veto.TooBig("cluster", asked, has));
      case Veto.NoDomainHolds(String level, _, long asked, long has) ->
          Optional.of(new Veto.TooBig(level, asked, has));
      case Veto.NoModelHolds(String best, long asked, long has) ->
          Optional.of(new Veto.TooBigForModels("cluster", best, asked, has));
      case Veto.NoModelInDomainHolds(String level, _, String model, long asked, long has) ->
          Optional.of(new Veto.TooBigForModels(level, model, asked, has));
      case Veto.NotTogether(_, _, _, boolean proven) when !proven -> Optional.empty();
      default ->
          Optional.of(
              whenEmpty.remedy() == Remedy.NEVER ? whenEmpty : new Veto.NeverFits(whenEmpty));
    };
  }

  private static boolean areGpus(String resource, List<Member> members) {
    return Seat.isOfGpus(resource)
        && members.stream()
            .map(Member::request)
            .allMatch(request -> request.resources().get(resource) == request.gpus());
  }
}
