package dev.muster.core.cluster;

import dev.muster.core.budget.QueueNamespaces;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The unit of decision: members that start all together or not at all.
///
/// The pods may be seen before the object that declares the gang, or after it.
///
/// @param id the gang's id
/// @param spec declaration by its object; absent until that was seen
/// @param members its pods
/// @param memberCounts numbers of its members by state
/// @param account the queue that is charged for it
/// @param past what its present pods do not show: see [PastRun]
/// @param ignored objects of the gang that do not count; absent if there are none
public record Gang(
    GangId id,
    Optional<GangSpec> spec,
    SortedTable<MemberId, Member> members,
    MemberCounts memberCounts,
    Account account,
    GangPast past,
    Optional<Discrepancies> ignored) {
  /// The queue that is charged for a gang.
  ///
  /// @param queue as [QueueNamespaces#charged] states
  /// @param stays whether the gang stays in it while it holds GPUs, although its object now names
  ///   another one or is gone
  public record Account(String queue, boolean stays) {}

  /// Creates a gang of a queue that accepts it, and counts its members.
  public Gang(GangId id, Optional<GangSpec> spec, SortedTable<MemberId, Member> members) {
    this(
        id,
        spec,
        members,
        MemberCounts.of(members),
        new Account(named(id, spec), false),
        GangPast.NONE,
        Optional.empty());
  }

  static Gang unseen(GangId id) {
    return new Gang(id, Optional.empty(), SortedTable.empty());
  }

  static Gang unseen(GangId id, QueueNamespaces namespaces) {
    return unseen(id).charged(namespaces);
  }

  /// Returns the lowest priority of its members, or that of its object if it is lower still.
  ///
  /// The API server checked the priority of each pod when it admitted the pod, against the quota of
  /// its namespace. It does not check that of the object, so the object can only lower it. The
  /// lowest counts so that one pod cannot raise the others. Without members, the object's counts.
  public int priority() {
    int lowest = memberCounts.priority();
    Optional<Integer> own = spec.flatMap(GangSpec::priority);
    return own.isEmpty() ? lowest : members.isEmpty() ? own.get() : Math.min(own.get(), lowest);
  }

  /// Returns the priority that its object asks for, if its members have a lower one, which counts.
  public Optional<Integer> overstatedPriority() {
    return spec.flatMap(GangSpec::priority)
        .filter(own -> !members.isEmpty() && own > memberCounts.priority());
  }

  /// Returns the queue that is charged for the gang.
  ///
  /// It is the queue that the gang names, if that accepts its namespace: see [QueueNamespaces].
  /// While the gang holds GPUs it stays in the queue that provided them. So a changed label cannot
  /// carry GPUs past another queue's limits.
  public String queue() {
    return account.queue();
  }

  /// Returns the queue that the gang names: that of its object, otherwise its namespace.
  public String namedQueue() {
    return named(id, spec);
  }

  private static String named(GangId id, Optional<GangSpec> spec) {
    return spec.isPresent() ? spec.get().queue() : id.namespace();
  }

  /// Returns the constraints of its object, completed by those of its first member.
  ///
  /// The first member in rank order counts where the object states nothing. Many job controllers
  /// create the object and let users annotate only the pods.
  public GangConstraints constraints() {
    GangConstraints own = spec.isPresent() ? spec.get().wishes() : GangConstraints.NONE;
    return memberCounts.first().isPresent() ? own.or(memberCounts.first().get().wishes()) : own;
  }

  /// Returns the number of members that must start together; 0 without a declaration.
  public int minCount() {
    return spec.map(GangSpec::minCount).orElse(0);
  }

  /// Returns the number of members with which the gang counts as whole.
  ///
  /// A minimum that was raised while it ran makes it grow, but its running pods stay as they are.
  public int wholeCount() {
    return Math.min(minCount(), past.ranWith().orElse(Integer.MAX_VALUE));
  }

  /// Returns the time from which its age counts: when it had enough members.
  ///
  /// Until then it is the creation time of its object.
  public Instant eligibleAt() {
    return past.eligibleAt().or(() -> spec.map(GangSpec::createdAt)).orElse(Instant.MAX);
  }

  /// Returns the outcome of its run, if all its pods have ended, or had when they were deleted.
  public Optional<GangPast.RunEnd> end() {
    boolean isOver =
        memberCounts.bound() + memberCounts.wanting() + memberCounts.heldByOthers() == 0;
    return isOver ? past.end() : Optional.empty();
  }

  /// Returns the maximum number of members that run at once, at least the minimum.
  ///
  /// It is stated by the object, otherwise by the first member in rank order.
  public int maxCount() {
    Optional<Integer> most = spec.flatMap(GangSpec::maxCount);
    if (most.isEmpty() && memberCounts.first().isPresent()) {
      most = memberCounts.first().get().wishes().maxCount();
    }
    return most.isEmpty() ? Integer.MAX_VALUE : Math.max(Math.max(1, minCount()), most.get());
  }

  /// Returns this gang with other GPU models in its constraints.
  public Gang wishing(GpuModelPreference gpus) {
    GangConstraints all = constraints();
    GangConstraints other =
        new GangConstraints(all.topology(), gpus, all.runtime(), all.stopping(), all.maxCount());
    return new Gang(
        id,
        spec.map(declared -> declared.wishing(other)),
        members,
        memberCounts,
        account,
        past,
        ignored);
  }

  /// Returns the members that wait for a node, by id.
  public Iterable<Member> wanting() {
    return members.marked(MemberCounts.WANTING, MemberCounts::mark);
  }

  /// Returns the members that wait for a node or are on one, by id. Only they can hold resources.
  public Iterable<Member> active() {
    return members.marked(
        MemberCounts.WANTING | MemberCounts.BOUND | MemberCounts.STOPPING, MemberCounts::mark);
  }

  /// Returns the members that count towards the minimum, by id.
  Iterable<Member> present() {
    return members.marked(
        MemberCounts.WANTING | MemberCounts.BOUND | MemberCounts.SUCCEEDED, MemberCounts::mark);
  }

  /// Returns the members that wait for a node, by rank.
  public List<Member> waiting() {
    List<Member> waiting = new ArrayList<>();
    wanting().forEach(waiting::add);
    waiting.sort(Member.BY_RANK);
    return waiting;
  }

  /// Returns the members that are bound to a node, by id.
  public List<Member> bound() {
    List<Member> bound = new ArrayList<>();
    members.marked(MemberCounts.BOUND, MemberCounts::mark).forEach(bound::add);
    return bound;
  }

  public int boundCount() {
    return memberCounts.bound();
  }

  /// Returns the number of members that wait for a node.
  public int wantingCount() {
    return memberCounts.wanting();
  }

  /// Returns the number of members that terminate.
  public int leavingCount() {
    return members.size()
        - memberCounts.bound()
        - memberCounts.wanting()
        - memberCounts.heldByOthers()
        - memberCounts.succeeded()
        - memberCounts.failed();
  }

  public int succeededCount() {
    return Math.max(memberCounts.succeeded(), end().map(GangPast.RunEnd::succeeded).orElse(0));
  }

  public int failedCount() {
    return Math.max(memberCounts.failed(), end().map(GangPast.RunEnd::failed).orElse(0));
  }

  /// Returns the number of members that are bound, wait for a node or have succeeded. These count
  /// towards the minimum.
  public int presentCount() {
    return memberCounts.bound() + memberCounts.wanting() + memberCounts.succeeded();
  }

  /// Returns the number of members that run, have succeeded or have a promise: those that need no
  /// further node.
  public int servedCount(Optional<Reservation> held) {
    return runningCount(held) + memberCounts.succeeded();
  }

  /// Returns the number of members that it lacks to its minimum; 0 or less when none is lacking.
  ///
  /// A running gang that lost members first needs those that it ran with, if its minimum was raised
  /// since.
  public int lacking(Optional<Reservation> held) {
    return (isBroken(held) ? wholeCount() : minCount()) - servedCount(held);
  }

  /// True if the gang runs with fewer members than make it whole.
  public boolean isBroken(Optional<Reservation> held) {
    return boundCount() > 0 && isShort(held);
  }

  /// True if the gang starts or runs with fewer members than make it whole.
  public boolean isShort(Optional<Reservation> held) {
    boolean began = boundCount() > 0 || held.isPresent();
    return spec.isPresent() && began && servedCount(held) < wholeCount();
  }

  /// Returns the number of members that run or have a promise. It counts towards the maximum.
  public int runningCount(Optional<Reservation> held) {
    int promised = held.map(reservation -> reservation.promises().size()).orElse(0);
    return promised + memberCounts.bound();
  }

  /// True if enough members are present for its minimum, or for the lower one with which it runs.
  /// The members that a raised minimum adds may come later.
  public boolean isComplete() {
    return spec.isPresent() && presentCount() >= wholeCount();
  }

  /// True if the gang has no object that counts, nor an invalid declaration.
  boolean isNothing() {
    return spec.isEmpty() && members.isEmpty() && invalidity().isEmpty();
  }

  /// Returns all mistakes of its declaration in the present form; empty if it is valid or missing.
  public Optional<String> invalidity() {
    return ignored.flatMap(Discrepancies::declaration);
  }

  /// Returns the gang's phase.
  ///
  /// @param reserved whether the gang has a reservation
  public GangPhase phase(boolean reserved) {
    if (isNothing()) {
      return GangPhase.GONE;
    }
    if (reserved) {
      return GangPhase.RESERVED;
    }
    if (memberCounts.bound() > 0) {
      return GangPhase.BOUND;
    }
    if (memberCounts.wanting() == 0) {
      boolean lost = past.evictedAt().isPresent() && leavingCount() == 0;
      boolean gathers = (members.isEmpty() || lost) && end().isEmpty();
      return gathers || memberCounts.heldByOthers() > 0 ? GangPhase.GATHERING : GangPhase.LEAVING;
    }
    return isComplete() ? GangPhase.PENDING : GangPhase.GATHERING;
  }

  /// Returns the gang with another declaration, or without one.
  ///
  /// @param holds whether it holds GPUs
  Gang with(Optional<GangSpec> said, boolean holds, QueueNamespaces namespaces) {
    GangPast known = spec.isEmpty() ? past.or(said.flatMap(GangSpec::past).orElse(past)) : past;
    Account kept = new Account(queue(), account.stays() || (spec.isPresent() && holds));
    Gang declared = new Gang(id, said, members, memberCounts, kept, known, ignored);
    return kept.stays() ? declared : declared.charged(namespaces);
  }

  /// Returns the gang with another past.
  Gang with(GangPast other) {
    return new Gang(id, spec, members, memberCounts, account, other, ignored);
  }

  /// Returns the gang charged to the queue that it names, as far as that accepts it.
  Gang charged(QueueNamespaces namespaces) {
    Account named = new Account(namespaces.charged(namedQueue(), id.namespace()), false);
    return named.equals(account)
        ? this
        : new Gang(id, spec, members, memberCounts, named, past, ignored);
  }

  /// Returns the gang in this queue while it holds GPUs.
  Gang stayingIn(String queue) {
    Account kept = new Account(queue, true);
    return new Gang(id, spec, members, memberCounts, kept, past, ignored);
  }

  /// Returns the gang with these objects that do not count.
  Gang ignoring(Discrepancies objects) {
    Optional<Discrepancies> others =
        Optional.of(objects).filter(found -> !found.equals(Discrepancies.NONE));
    return new Gang(id, spec, members, memberCounts, account, past, others);
  }

  Gang with(Member member) {
    return with(members.with(member.id(), member), member.id());
  }

  Gang without(MemberId member) {
    return with(members.without(member), member);
  }

  private Gang with(SortedTable<MemberId, Member> after, MemberId changed) {
    MemberCounts count = memberCounts.after(members.get(changed), after.get(changed), after);
    return new Gang(id, spec, after, count, account, past, ignored);
  }

  /// Returns the member with its values replaced by equal ones that the gang already has.
  ///
  /// This saves memory: a cluster's pods repeat a few requests and names many times.
  Member sharing(Member member) {
    Optional<Member> mate = members.get(member.id());
    mate = mate.isPresent() ? mate : memberCounts.first();
    return mate.isPresent() ? member.sharing(mate.get()) : member;
  }
}
