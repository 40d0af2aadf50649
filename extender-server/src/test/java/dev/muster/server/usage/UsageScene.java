package dev.muster.server.usage;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Step;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;

/// Gangs that run and end, and the book that counts them. Times are seconds after [Scene#START],
/// which is midnight.
final class UsageScene {
  static final LocalDate DAY = LocalDate.parse("2026-11-01");

  private final UsageBook book;
  private Scene scene;

  UsageScene(UsageBook book) {
    this(book, Policies.DEFAULT);
  }

  UsageScene(UsageBook book, Policies policies) {
    this.book = book;
    this.scene = Scene.of("b1/r1: n1[........] n2[........]", policies);
  }

  static Instant at(long second) {
    return Scene.START.plusSeconds(second);
  }

  private UsageScene then(Event event) {
    scene = scene.then(event);
    book.note(new Step(scene.state(), List.of(), List.of()));
    return this;
  }

  /// The gang of one pod appears, bound at this second.
  UsageScene binds(GangDraft gang, Map<String, String> labels, long second) {
    GangSpec spec = gang.spec().labelled(new TreeMap<>(labels));
    then(new Event.GangSeen(at(second), spec));
    Member pod = gang.members().getFirst();
    return then(
        new Event.MemberSeen(
            at(second), pod.as(new MemberState.Bound(new NodeId("n1"), at(second)))));
  }

  /// The status of the pod states a time of binding before the pod was created.
  UsageScene bindsLongBefore(GangDraft gang) {
    then(new Event.GangSeen(at(0), gang.spec()));
    Member pod = gang.members().getFirst();
    return then(
        new Event.MemberSeen(
            at(0), pod.as(new MemberState.Bound(new NodeId("n1"), Instant.EPOCH))));
  }

  UsageScene binds(GangDraft gang, long second) {
    return binds(gang, Map.of(), second);
  }

  /// The pod is being deleted, and still holds its GPUs.
  UsageScene leaves(GangDraft gang, long second) {
    Member pod = gang.members().getFirst();
    var leaving = new MemberState.Leaving(Optional.of(new NodeId("n1")));
    return then(new Event.MemberSeen(at(second), pod.as(leaving)));
  }

  UsageScene ends(GangDraft gang, long second) {
    Member pod = gang.members().getFirst();
    return then(new Event.MemberSeen(at(second), pod.as(new MemberState.Ended(true))));
  }

  UsageScene isGone(GangDraft gang, long second) {
    Member pod = gang.members().getFirst();
    return then(new Event.MemberGone(at(second), gang.id(), pod.id()));
  }

  UsageScene isLabelled(GangDraft gang, Map<String, String> labels, long second) {
    return then(new Event.GangSeen(at(second), gang.spec().labelled(new TreeMap<>(labels))));
  }

  UsageScene passes(Duration until) {
    return then(new Event.Tick(Scene.START.plus(until)));
  }

  UsageScene isWritten() {
    book.write();
    return this;
  }

  /// Visits the rows of a store that can be read.
  static void each(
      UsageBook book, LocalDate since, LocalDate until, ObjLongConsumer<UsageKey> visitor) {
    try {
      var _ = book.each(since, until, visitor);
    } catch (UnreadableUsage failed) {
      throw new AssertionError(failed);
    }
  }

  /// Returns the GPU-seconds of a day.
  static long gpuSeconds(UsageBook book, LocalDate day) {
    long[] sum = new long[1];
    each(book, day, day, (_, millis) -> sum[0] += millis);
    return sum[0] / 1000;
  }

  /// Returns the GPU-seconds by account.
  static Map<UsageAccount, Long> accounts(UsageBook book) {
    Map<UsageAccount, Long> sums = new HashMap<>();
    each(
        book,
        DAY,
        DAY.plusDays(30),
        (key, millis) -> sums.merge(key.account(), millis / 1000, Long::sum));
    return sums;
  }
}
