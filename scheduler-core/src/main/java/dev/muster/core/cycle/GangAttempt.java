package dev.muster.core.cycle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Hold;
import dev.muster.core.node.Placement;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// A gang attempt tries one gang: its members without a promise are all placed, or refused with a
/// reason.
///
/// - A gang that has not started needs places for its minimum at once. It takes places for all its
///   members if they fit.
/// - A gang that has its minimum takes further members as capacity allows, up to its maximum.
/// - A gang that is starting and lost some of its promises is moved. Only the lost members are
///   placed, near the others. If they do not fit and no pod is bound yet, the whole gang is placed
///   again.
///
/// Capacity held for other gangs is not used, unless this gang has a higher priority or ends before
/// they need it: see [VisibleCapacity].
///
/// @param after the state after the attempt
/// @param decision the decision; empty when no member is pending or the answer is unchanged
/// @param inVain whether a place was searched and not found
public record GangAttempt(State after, Optional<Decision> decision, boolean inVain) {
  private GangAttempt(State after, Optional<Decision> decision) {
    this(after, decision, false);
  }

  /// Tries the gang.
  ///
  /// @param woken classes with an answer that may be out of date: the event may help them
  /// @param images images of earlier attempts
  /// @param deferred whether a search for the gang waits for the next tick ([RecentSearches])
  public static GangAttempt of(
      GangId id,
      State state,
      Policies configured,
      Set<WaitClass.Key> woken,
      VisibleCapacity.Images images,
      boolean deferred) {
    Gang gang = state.cluster().gang(id);
    Policies policies = binding(id, state, configured);
    if (gang.spec().isEmpty() && gang.members().isEmpty()) {
      return new GangAttempt(state.settled(id), Optional.empty());
    }
    if (state.cluster().reservations().contains(id, Reservation::releasing)) {
      return new GangAttempt(state, Optional.empty()); // its bound pods must leave first
    }
    boolean waits = deferred && !canMoveWhole(state.cluster(), gang);
    if (waits && gang.isComplete() && gang.wantingCount() > 0 && state.isDeferred(id)) {
      return new GangAttempt(state, Optional.empty()); // its members are not even counted
    }
    if (!PendingMembers.exist(state.cluster(), gang)) {
      return new GangAttempt(state.settled(id), Optional.empty());
    }
    Optional<Veto> veto = state.veto(gang, policies);
    Optional<Explanation> known =
        veto.isPresent() ? Optional.empty() : answered(state, gang, policies, woken);
    boolean searches = veto.isPresent() ? mayEnd(veto.get()) : known.isEmpty();
    if (waits && searches) {
      return new GangAttempt(state.deferring(id), Optional.empty());
    }
    if (veto.isPresent()) {
      return refused(state, gang, policies, veto.get());
    }
    return known.isPresent()
        ? stand(state, gang, policies, known.get())
        : place(state, gang, policies, images);
  }

  /// True if the limit may let the gang pass later. Then it is also judged alone on the cluster.
  private static boolean mayEnd(Veto limit) {
    return limit.remedy() == Remedy.QUOTA || limit instanceof Veto.BudgetSpent;
  }

  /// Returns the policies without the guarantee claims on models where gangs are preempted for this
  /// one.
  ///
  /// The preemption was weighed against all guarantee claims when it was decided. Claims that arise
  /// while the victims leave come too late. On other models the claims limit the gang as usual.
  private static Policies binding(GangId id, State state, Policies policies) {
    Cluster cluster = state.cluster();
    Optional<Hold> vacated = cluster.holds().get(id).filter(Hold::isVacated);
    if (vacated.isEmpty() || policies.quota().isOpen()) {
      return policies;
    }
    TreeSet<String> models = new TreeSet<>();
    for (NodeId node : vacated.get().shares().keys()) {
      cluster.nodes().get(node).ifPresent(there -> models.add(there.node().model().name()));
    }
    return policies.unclaimed(models);
  }

  /// Returns the answer of the gang's class, if it is still valid.
  private static Optional<Explanation> answered(
      State state, Gang gang, Policies policies, Set<WaitClass.Key> woken) {
    SortedTable<WaitClass.Key, WaitClass> classes = state.waiting().classes();
    if (classes.isEmpty()) {
      return Optional.empty(); // a key is a long text
    }
    WaitClass.Key key = WaitClass.Key.of(state.cluster(), state.history(), gang, policies);
    return classes
        .get(key)
        .filter(others -> !woken.contains(key) && !others.first().equals(gang.id()))
        .map(WaitClass::why);
  }

  /// Releases a starting gang that lost promises and may not have new ones: it must not start in
  /// part. A gang that lacks members waits for them within its time. A gang that waits for quota or
  /// a budget is told so only if it could start with it.
  private static GangAttempt refused(State before, Gang gang, Policies policies, Veto veto) {
    VacantSearch alone =
        mayEnd(veto)
            ? VacantSearch.of(before, gang, PendingMembers.of(before.cluster(), gang))
            : VacantSearch.none(before);
    State state = alone.after();
    Explanation why = Explanation.of(state.cluster(), alone.never().orElse(veto));
    return veto.remedy() != Remedy.MEMBERS && canMoveWhole(state.cluster(), gang)
        ? released(state, gang, why)
        : stand(state, gang, policies, why).having(alone.searched());
  }

  private GangAttempt having(boolean searchedInVain) {
    return new GangAttempt(after, decision, searchedInVain);
  }

  public boolean isAdmitted() {
    return decision.isPresent() && decision.get() instanceof Decision.Admit;
  }

  private static GangAttempt place(
      State state, Gang gang, Policies policies, VisibleCapacity.Images images) {
    List<Member> wanting = PendingMembers.of(state.cluster(), gang);
    VisibleCapacity usable = VisibleCapacity.of(state, gang, policies.order(), images);
    SearchResult result = search(usable.image(), gang, wanting, policies);
    if (result instanceof SearchResult.NotFound && canMoveWhole(state.cluster(), gang)) {
      return moved(state, gang, policies);
    }
    return switch (result) {
      case SearchResult.Found found -> admit(state, gang, found, policies);
      case SearchResult.NotFound lost -> {
        RefusalReason reason =
            RefusalReason.of(state, usable, new RefusalReason.Asked(gang, wanting, policies), lost);
        yield stand(reason.after(), gang, policies, reason.why()).having(true);
      }
    };
  }

  private static GangAttempt moved(State state, Gang gang, Policies policies) {
    State unplanned = state.with(unplanned(state.cluster(), gang.id()));
    Cluster image = VisibleCapacity.of(unplanned, gang, policies.order()).image();
    return switch (search(image, gang, PendingMembers.of(unplanned.cluster(), gang), policies)) {
      case SearchResult.Found whole -> admit(unplanned, gang, whole, policies);
      case SearchResult.NotFound none -> released(unplanned, gang, none).having(true);
    };
  }

  private static GangAttempt admit(
      State state, Gang gang, SearchResult.Found found, Policies policies) {
    Cluster reserved = reserved(state.cluster(), gang, found.placement(), policies);
    Explanation why = why(state, found, Optional.empty());
    State after =
        state
            .with(VisibleCapacity.taken(state, gang, found.placement(), reserved))
            .settled(gang.id());
    return new GangAttempt(
        after, Optional.of(new Decision.Admit(gang.id(), found.placement(), why)));
  }

  // ---- Number of members to place ----

  /// Searches places for all pending members, then for half as many, down to those that the minimum
  /// needs. If these cannot start, other members may: see [StartableMembers]. Only GPU models on
  /// which the queue may use more are searched, and only for numbers that it may permit.
  static SearchResult search(Cluster cluster, Gang gang, List<Member> wanting, Policies policies) {
    Gang narrowed = policies.quota().narrowed(cluster, gang);
    int least = Math.max(1, cluster.lacking(gang));
    int most = policies.most(cluster, narrowed, wanting);
    int half = wanting.size();
    int size = Math.max(Math.min(least, half), most);
    SearchResult result = place(cluster, narrowed, wanting.subList(0, size), policies);
    while (result instanceof SearchResult.NotFound && size > least) {
      while (half >= size) {
        half /= 2;
      }
      size = Math.max(least, half);
      result = place(cluster, narrowed, wanting.subList(0, size), policies);
    }
    StartableMembers.Choice last = new StartableMembers.Choice(wanting.subList(0, size), result);
    if (!last.isFound() && PendingMembers.mayChoose(cluster, gang)) {
      last =
          StartableMembers.of(
              cluster.unpromised(gang),
              Math.min(
                  PendingMembers.atMost(cluster, gang), permitted(cluster, narrowed, policies)),
              least,
              cluster.nodes().size(),
              members -> place(cluster, narrowed, members, policies));
    }
    return last.result() instanceof SearchResult.NotFound none && isHopeless(none)
        ? limited(cluster, gang, last.members(), policies).orElse(none)
        : last.result();
  }

  /// Returns an upper bound of the number of members that the limits permit, whichever they are.
  private static int permitted(Cluster cluster, Gang gang, Policies policies) {
    List<Member> smallestFirst =
        cluster.unpromised(gang).stream()
            .sorted(Comparator.comparingInt(member -> member.request().gpus()))
            .toList();
    return policies.most(cluster, gang, smallestFirst);
  }

  private static boolean isHopeless(SearchResult.NotFound result) {
    return result.main().remedy() == Remedy.NEVER;
  }

  /// Returns the answer for models that the queue denies, where the permitted models can never fit
  /// the gang. The gang then waits for quota, or is too large for its queue.
  static Optional<SearchResult.NotFound> limited(
      Cluster cluster, Gang gang, List<Member> members, Policies policies) {
    Optional<Veto> limit = policies.quota().limit(cluster, gang);
    if (limit.isEmpty()) {
      return Optional.empty();
    }
    SearchResult unlimited = place(cluster, gang, members, policies);
    if (unlimited instanceof SearchResult.NotFound none && isHopeless(none)) {
      return Optional.of(none).filter(it -> it.main() instanceof Veto.TooBigForQueue);
    }
    return Optional.of(
        new SearchResult.NotFound(limit.get(), unlimited.nodes(), unlimited.vetoCounts()));
  }

  /// Searches places for exactly these members within quota and budgets.
  public static SearchResult place(
      Cluster cluster, Gang gang, List<Member> members, Policies policies) {
    SearchResult result = AvoidingSearch.search(cluster, gang, members);
    Optional<Veto> veto =
        result instanceof SearchResult.Found found
            ? policies.veto(cluster, gang, found.placement())
            : Optional.empty();
    return veto.isPresent()
        ? new SearchResult.NotFound(veto.get(), result.nodes(), result.vetoCounts())
        : result;
  }

  // ---- Lost plans ----

  private static boolean canMoveWhole(Cluster cluster, Gang gang) {
    return cluster.reservations().contains(gang.id())
        && gang.boundCount() == 0
        && cluster.lacking(gang) > 0;
  }

  /// Returns the image with the gang's promises open again. The deadline of the reservation stays,
  /// and so do the nodes that the gang avoids: otherwise a plan that failed would be made again and
  /// again.
  private static Cluster unplanned(Cluster cluster, GangId gang) {
    return cluster.with(cluster.reservations().get(gang).orElseThrow().unplanned());
  }

  /// Releases a gang for which there is no other place. It is judged as it waits from now on.
  private static GangAttempt released(State state, Gang gang, SearchResult.NotFound none) {
    State ended = state.with(state.cluster().without(gang.id()));
    VacantSearch alone = VacantSearch.of(ended, gang, PendingMembers.of(ended.cluster(), gang));
    return released(
        state, gang, why(state, none, alone.never().or(() -> Optional.of(none.main()))));
  }

  private static GangAttempt released(State state, Gang gang, Explanation why) {
    Decision release = new Decision.Release(gang.id(), List.of(), why);
    State ended = state.with(state.cluster().without(gang.id()));
    return new GangAttempt(ended.resting(release), Optional.of(release));
  }

  // ---- Decisions ----

  private static Cluster reserved(
      Cluster cluster, Gang gang, Placement placement, Policies policies) {
    Optional<Reservation> held = cluster.reservations().get(gang.id());
    Reservation reservation = held.isPresent() ? held.get() : opened(cluster, gang, policies);
    for (Assignment assignment : placement.assignments()) {
      reservation =
          reservation.with(
              Promise.keep(assignment.member().id(), assignment.node(), cluster.now()));
    }
    return cluster.with(reservation.replanned(cluster.now()));
  }

  /// Returns a new reservation. A gang with bound members and no reservation ran complete before.
  private static Reservation opened(Cluster cluster, Gang gang, Policies policies) {
    Reservation reservation = policies.reservation(gang.id(), cluster.now());
    return gang.boundCount() > 0 ? reservation.ofRunning() : reservation;
  }

  private static GangAttempt stand(State state, Gang gang, Policies policies, Explanation why) {
    Veto veto = why.main().orElseThrow();
    Remedy remedy = veto.remedy();
    Decision decision =
        remedy == Remedy.NEVER
            ? new Decision.Reject(gang.id(), why)
            : new Decision.Wait(gang.id(), why);
    boolean old = state.why(gang.id()).flatMap(Explanation::main).equals(why.main());
    State told = state.with(state.cluster().hopeless(gang.id(), veto.isHopeless()));
    State after =
        remedy == Remedy.MEMBERS
            ? told.resting(decision)
            : told.waiting(
                gang, WaitClass.of(told.cluster(), told.history(), gang, policies, why), decision);
    return new GangAttempt(after, old ? Optional.empty() : Optional.of(decision));
  }

  static Explanation why(State state, SearchResult.NotFound result) {
    return why(state, result, Optional.of(result.main()));
  }

  static Explanation why(State state, SearchResult result, Optional<Veto> main) {
    Cluster cluster = state.cluster();
    return new Explanation(
        cluster.version(), cluster.now(), result.nodes(), main, result.vetoCounts().counts());
  }
}
