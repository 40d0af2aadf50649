package dev.muster.core.kit;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/// Performs effects on the objects of a [FaultyWorld] late, twice or not at all, or refuses them.
/// After 409 and 429 nothing was done; after 500 the outcome is unknown. Effects of one gang keep
/// their order. Some pods lose their gate without a nomination, and get one only on the next
/// request.
final class FaultyOutbox {
  private static final String CONFLICT = "409 the object has been modified";
  private static final String TOO_MANY = "429 too many requests";
  private static final String BROKEN = "500 internal error";
  private static final String REFUSED = "422 too long";

  private final Random random;
  private final FaultyObjects objects;
  private final FaultyDelivery news;
  private final TreeMap<GangId, ArrayDeque<Effect>> late = new TreeMap<>();
  private boolean calm;

  FaultyOutbox(Random random, FaultyObjects objects, FaultyDelivery news) {
    this.random = random;
    this.objects = objects;
    this.news = news;
  }

  /// From now on every effect works at once.
  void calm() {
    calm = true;
    flush(2);
  }

  void ask(Effect effect) {
    boolean behind = late.containsKey(effect.gang());
    if (behind || (!calm && random.nextInt(6) == 0)) {
      late.computeIfAbsent(effect.gang(), _ -> new ArrayDeque<>()).add(effect);
    } else {
      perform(effect);
    }
  }

  /// Some of what is late is performed at last.
  void catchUp() {
    flush(random.nextInt(3));
  }

  /// The process is killed: what is under way arrives now or never.
  void kill() {
    flush(1);
    late.clear();
  }

  /// Performs what is late, of so many halves of the gangs.
  private void flush(int halves) {
    for (GangId gang : List.copyOf(late.keySet())) {
      if (random.nextInt(2) < halves) {
        Optional.ofNullable(late.remove(gang)).ifPresent(line -> line.forEach(this::perform));
      }
    }
  }

  private void perform(Effect effect) {
    int luck = calm ? 19 : random.nextInt(20);
    Optional<String> problem =
        switch (luck) {
          case 0 -> Optional.of(CONFLICT);
          case 1 -> Optional.of(TOO_MANY);
          case 2, 3 -> Optional.of(BROKEN);
          case 7 -> Optional.of(REFUSED).filter(_ -> random.nextInt(4) == 0);
          default -> Optional.empty();
        };
    boolean done = problem.isEmpty() || luck == 3;
    if (luck == 4 || luck == 5) {
      return; // lost on the way there
    }
    perform(effect, done, problem);
    if (luck == 6) {
      perform(effect, done, problem);
    }
  }

  private void perform(Effect effect, boolean done, Optional<String> problem) {
    switch (effect) {
      case Effect.WriteReservation(GangId gang, Reservation reservation) ->
          write(gang, reservation, done, problem);
      case Effect.StartMember(GangId gang, MemberId pod, NodeId node) ->
          start(new Event.MemberStarted(objects.now(), gang, pod, node), done, problem);
      case Effect.ClearReservation(GangId gang, Optional<Integer> ranWith) -> {
        if (done) {
          clear(gang, ranWith);
        }
      }
      case Effect.Evict(GangId gang, MemberId pod, _, _, _) -> evict(gang, pod, done, problem);
      case Effect.RecordVictims(GangId gang, var victims) -> record(gang, victims, done, problem);
      case Effect.TellVictim(GangId gang, Effect.Notice notice) ->
          tell(gang, notice, done, problem);
      case Effect.Reprieve(GangId gang, _, var stopped) -> spare(gang, stopped, done);
      case Effect.Publish _, Effect.Report _ -> {}
    }
  }

  private void write(GangId gang, Reservation reservation, boolean done, Optional<String> problem) {
    Optional<GangSpec> group = objects.group(gang);
    if (done && group.isPresent()) {
      SortedTable<MemberId, NodeId> record = SortedTable.empty();
      for (Promise promise : reservation.promises()) {
        record = record.with(promise.member(), promise.node());
      }
      GangSpec recorded = group.get().recording(record);
      objects.declare(reservation.ran() ? recorded : ranWith(recorded, Optional.empty()));
    }
    Optional<String> failure = group.isEmpty() ? Optional.of("404 not found") : problem;
    news.add(
        failure
            .<Event>map(
                why -> new Event.ReservationNotWritten(objects.now(), gang, why, refusal(why)))
            .orElse(new Event.ReservationWritten(objects.now(), gang, reservation.edition())));
  }

  /// A full object refuses a record for good.
  private static Optional<Integer> refusal(String why) {
    return why.equals(REFUSED) ? Optional.of(422) : Optional.empty();
  }

  private void start(Event.MemberStarted asked, boolean done, Optional<String> problem) {
    Optional<Member> pod = objects.pod(asked.member()).filter(Member::wantsNode);
    if (done && pod.isPresent()) {
      boolean quiet = pod.get().state() instanceof MemberState.Held && random.nextBoolean();
      Optional<NodeId> nominated = Optional.of(asked.node()).filter(_ -> !quiet);
      objects.put(pod.get().as(new MemberState.Waiting(nominated, false)));
    }
    Optional<String> failure = pod.isEmpty() ? Optional.of("404 not found") : problem;
    news.add(
        failure
            .<Event>map(why ->
                new Event.MemberNotStarted(
                    objects.now(), asked.gang(), asked.member(), asked.node(), why))
            .orElse(asked));
  }

  private void evict(GangId gang, MemberId id, boolean done, Optional<String> problem) {
    if (done) {
      objects.pod(id).filter(Member::isBound).ifPresent(objects::kill);
    }
    problem.ifPresent(why -> news.add(notEvicted(gang, id, why)));
  }

  /// An answer of 429 to an eviction comes of a disruption budget.
  private Event notEvicted(GangId gang, MemberId pod, String why) {
    boolean forbidden = why.equals(TOO_MANY) || refusal(why).isPresent();
    return new Event.MemberNotEvicted(objects.now(), gang, pod, forbidden, why);
  }

  private void record(
      GangId gang, SortedTable<GangId, Victim> victims, boolean done, Optional<String> problem) {
    Optional<GangSpec> group = objects.group(gang).filter(_ -> done);
    group.ifPresent(spec -> {
      PreemptionRecord said = spec.preemption();
      record(spec, new PreemptionRecord(victims, said.stopped(), said.notice()));
    });
    Instant now = objects.now();
    if (!victims.isEmpty()) {
      news.add(
          problem
              .<Event>map(why -> new Event.VictimsNotRecorded(now, gang, why, refusal(why)))
              .orElse(new Event.VictimsRecorded(now, gang)));
    }
  }

  private void tell(GangId gang, Effect.Notice notice, boolean done, Optional<String> problem) {
    Optional<GangSpec> group = objects.group(gang).filter(_ -> done);
    var told = new PreemptionRecord.Notice(notice.by(), notice.deadline());
    group.ifPresent(spec -> record(spec, notice.stopped(), Optional.of(told)));
    MemberId first = notice.victim().members().asList().getFirst();
    news.add(
        problem
            .map(why -> notEvicted(gang, first, why))
            .orElse(new Event.VictimTold(objects.now(), gang)));
  }

  private void spare(GangId gang, List<Instant> stopped, boolean done) {
    objects
        .group(gang)
        .filter(_ -> done)
        .ifPresent(spec -> record(spec, stopped, Optional.empty()));
  }

  private void record(
      GangSpec spec, List<Instant> stopped, Optional<PreemptionRecord.Notice> notice) {
    record(spec, new PreemptionRecord(spec.preemption().victims(), stopped, notice));
  }

  private void record(GangSpec spec, PreemptionRecord said) {
    objects.declare(spec.recording(said));
  }

  private static GangSpec ranWith(GangSpec spec, Optional<Integer> minimum) {
    GangPast past = spec.past().orElse(GangPast.NONE).running(minimum);
    return spec.recalling(Optional.of(past).filter(known -> !known.equals(GangPast.NONE)));
  }

  private void clear(GangId gang, Optional<Integer> ranWith) {
    objects.members(gang).stream()
        .filter(pod -> pod.state() instanceof MemberState.Waiting)
        .forEach(pod -> objects.put(pod.as(new MemberState.Waiting(Optional.empty(), true))));
    objects
        .group(gang)
        .ifPresent(spec -> objects.declare(ranWith(spec.recording(SortedTable.empty()), ranWith)));
  }
}
