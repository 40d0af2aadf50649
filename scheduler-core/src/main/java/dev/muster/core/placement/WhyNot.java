package dev.muster.core.placement;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.fit.Tally;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Wishes;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Finds the one reason that counts when a search found nothing: first what will never be, then
/// what is short in all, then what is short in one domain, then what is only scattered.
///
/// @param cluster the image searched
/// @param wishes what is wished for the gang
/// @param needs what was to be placed
/// @param offers the nodes that would take some of it, were they empty
/// @param tally why the others would not
record WhyNot(Cluster cluster, Wishes wishes, Needs needs, List<Offer> offers, Tally tally) {
  /// The reason why a search found nothing, for a gang that must stay within one domain of the
  /// given depth.
  static SearchResult.NotFound of(Question question, int required) {
    Tally tally = Tally.NONE;
    List<Offer> offers = new ArrayList<>();
    for (NodeState state : question.cluster().nodes()) {
      List<Boolean> takes = new ArrayList<>();
      for (int kind = 0; kind < question.demand().kinds(); kind++) {
        Optional<Veto> veto = question.rules().veto(state, kind);
        takes.add(veto.isEmpty());
        tally = kind == 0 && veto.isPresent() ? tally.plus(veto.get()) : tally;
      }
      if (takes.contains(true)) {
        offers.add(new Offer(state, question.demand(), takes));
      }
    }
    WhyNot why = new WhyNot(question.cluster(), question.wishes(), question.needs(), offers, tally);
    return new SearchResult.NotFound(why.main(required), question.cluster().nodes().size(), tally);
  }

  /// The reason, for a gang that must stay within one domain of the given depth.
  Veto main(int required) {
    for (int kind = 0; kind < needs.kinds().size(); kind++) {
      if (takers(kind).isEmpty()) {
        return noTaker(needs.kinds().get(kind));
      }
    }
    List<Offer> takers = takers(0);
    return tooBig(required)
        .or(() -> shortInAll(takers))
        .or(() -> shortInModel(takers))
        .or(() -> shortInDomain(takers, required))
        .or(() -> otherResource(takers))
        .orElseGet(() -> fragmented(takers));
  }

  private List<Offer> takers(int kind) {
    return offers.stream().filter(offer -> offer.takes().get(kind)).toList();
  }

  private Veto noTaker(Request request) {
    Optional<Veto.NodeTooSmall> small = tally.example(Veto.NodeTooSmall.class);
    boolean gpusShort =
        small.isPresent() && request.gpus() > 0 && request.gpus() == small.get().asked();
    if (gpusShort) {
      long largest = 0;
      for (NodeState state : cluster.nodes()) {
        largest = Math.max(largest, state.node().allocatable().get(small.get().resource()));
      }
      if (largest < request.gpus() && largest > 0) {
        return new Veto.TooBig("node", request.gpus(), largest);
      }
    }
    return new Veto.NoMatchingNodes(cluster.nodes().size(), tally.counts());
  }

  /// All nodes that take members of any kind count: this must not be said of a gang that fits once
  /// others leave, since it wakes by no leaving.
  private Optional<Veto> tooBig(int required) {
    long largest = 0;
    for (List<Offer> domain : byDomain(offers, required).values()) {
      largest =
          Math.max(largest, domain.stream().mapToLong(offer -> offer.node().node().gpus()).sum());
    }
    return needs.gpus() > largest
        ? Optional.of(new Veto.TooBig(cluster.topology().nameAt(required), needs.gpus(), largest))
        : Optional.empty();
  }

  private Optional<Veto> shortInAll(List<Offer> takers) {
    Resources free = Resources.NONE;
    for (Offer offer : takers) {
      free = free.plus(positive(offer.node().free()));
    }
    for (Map.Entry<String, Long> want : needs.resources().asMap().entrySet()) {
      long has = free.get(want.getKey());
      if (has < want.getValue() && takesEverything(takers)) {
        return Optional.of(new Veto.NotEnoughFree(want.getKey(), want.getValue(), has));
      }
    }
    return Optional.empty();
  }

  /// The free GPUs of the model that has the most, when the gang takes one model and that is too
  /// few.
  private Optional<Veto> shortInModel(List<Offer> takers) {
    TreeMap<String, Long> free = new TreeMap<>();
    for (Offer offer : takers) {
      free.merge(offer.node().node().model().name(), (long) offer.node().freeGpus(), Long::sum);
    }
    return free.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .filter(best -> !wishes.gpus().mixed() && free.size() > 1 && best.getValue() < needs.gpus())
        .map(best -> new Veto.NoModelHolds(best.getKey(), needs.gpus(), best.getValue()));
  }

  // Sums over all members only count against nodes that take all of their kinds.
  private boolean takesEverything(List<Offer> takers) {
    return takers.size() == offers.size()
        && offers.stream().noneMatch(offer -> offer.takes().contains(false));
  }

  private static Resources positive(Resources free) {
    TreeMap<String, Long> kept = new TreeMap<>(free.asMap());
    kept.values().removeIf(amount -> amount < 0);
    return Resources.of(kept);
  }

  private Optional<Veto> shortInDomain(List<Offer> takers, int required) {
    if (required == 0) {
      return Optional.empty();
    }
    DomainPath best = DomainPath.ROOT;
    long most = -1;
    for (Map.Entry<DomainPath, List<Offer>> domain : byDomain(takers, required).entrySet()) {
      long free = domain.getValue().stream().mapToLong(offer -> offer.node().freeGpus()).sum();
      if (free > most) {
        best = domain.getKey();
        most = free;
      }
    }
    return most < needs.gpus()
        ? Optional.of(
            new Veto.NoDomainHolds(
                cluster.topology().nameAt(required), best.toString(), needs.gpus(), most))
        : Optional.empty();
  }

  private Map<DomainPath, List<Offer>> byDomain(List<Offer> takers, int required) {
    TreeMap<DomainPath, List<Offer>> domains = new TreeMap<>();
    for (Offer offer : takers) {
      DomainPath path = offer.node().path();
      DomainPath domain =
          required > path.depth() ? path.child(offer.node().id().name()) : path.upTo(required);
      domains.computeIfAbsent(domain, _ -> new ArrayList<>()).add(offer);
    }
    return domains;
  }

  /// Enough GPUs lie together for a member on some node, but something else is missing there.
  private Optional<Veto> otherResource(List<Offer> takers) {
    Request biggest = needs.kinds().getFirst();
    int holders = 0;
    Optional<Veto> example = Optional.empty();
    for (Offer offer : takers) {
      if (offer.node().freeGpus() >= biggest.gpus()) {
        String shortOf = offer.node().free().firstShort(biggest.resources());
        if (shortOf == null) {
          holders++;
        } else {
          example = Optional.of(tooLittle(offer, biggest, shortOf));
        }
      }
    }
    return holders < needs.counts().getFirst() ? example : Optional.empty();
  }

  private static Veto tooLittle(Offer offer, Request request, String resource) {
    long asked = request.resources().get(resource);
    long free = Math.max(0, offer.node().free().get(resource));
    boolean withoutPromises =
        offer.node().free().plus(offer.node().promised()).get(resource) >= asked;
    return withoutPromises
        ? new Veto.Promised(resource, asked, free)
        : new Veto.TooLittleFree(resource, asked, free);
  }

  private Veto fragmented(List<Offer> takers) {
    long free = 0;
    long largest = 0;
    int nodes = 0;
    for (Offer offer : takers) {
      int here = offer.node().freeGpus();
      free += here;
      largest = Math.max(largest, here);
      nodes += here > 0 ? 1 : 0;
    }
    return new Veto.Fragmented(
        needs.total(), needs.kinds().getFirst().gpus(), free, nodes, largest);
  }
}
