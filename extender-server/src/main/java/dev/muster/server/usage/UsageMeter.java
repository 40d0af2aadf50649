package dev.muster.server.usage;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjIntConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/// Measures the time for which pods of gangs hold GPUs: from their binding until they have ended or
/// are gone. It compares the gangs of two images, so an image costs only what has changed.
///
/// It is used by one thread at a time.
final class UsageMeter {
  /// @param since time up to which the pod has been charged
  private record Holding(UsageAccount account, int gpus, Instant since) {}

  private final Map<MemberId, Holding> holdings = new HashMap<>();
  private final Optional<Instant> counted;
  private final ObjLongConsumer<UsageKey> charges;
  private @Nullable Cluster last;

  /// @param counted time up to which an earlier process has charged what it saw
  /// @param charges receiver of GPU-milliseconds
  UsageMeter(Optional<Instant> counted, ObjLongConsumer<UsageKey> charges) {
    this.counted = counted;
    this.charges = charges;
  }

  /// Charges what has ended since the last image, and begins what is new.
  void seen(Cluster now) {
    if (!now.synced()) {
      return;
    }
    SortedTable<GangId, Gang> earlier = last == null ? SortedTable.empty() : last.gangs();
    for (var change : now.gangs().differences(earlier)) {
      members(now, change.before(), change.now());
    }
    last = now;
  }

  private void members(Cluster now, Optional<Gang> before, Optional<Gang> after) {
    boolean moved =
        before.isPresent()
            && after.isPresent()
            && !UsageAccount.of(before.get(), "").equals(UsageAccount.of(after.get(), ""));
    if (moved) {
      for (Member member : after.get().members()) {
        end(now, member.id());
        begin(now, after.get(), member, now.now());
      }
    }
    SortedTable<MemberId, Member> earlier = before.map(Gang::members).orElseGet(SortedTable::empty);
    SortedTable<MemberId, Member> members = after.map(Gang::members).orElseGet(SortedTable::empty);
    for (var change : members.differences(earlier)) {
      Optional<Member> held = change.now().filter(member -> member.node().isPresent());
      if (held.isEmpty()) {
        end(now, change.key());
      } else if (after.isPresent()) {
        begin(now, after.get(), held.get(), since(held.get(), now.now()));
      }
    }
  }

  /// Returns when the pod was bound, but not before what was charged already.
  ///
  /// Its status says when it was bound. A wrong time there, before its creation, costs nothing.
  private Instant since(Member member, Instant now) {
    Instant bound =
        member.state() instanceof MemberState.Bound(_, Instant at) ? at : counted.orElse(now);
    Instant created = bound.isBefore(member.createdAt()) ? member.createdAt() : bound;
    Instant since = created.isAfter(now) ? now : created;
    return counted.filter(since::isBefore).orElse(since);
  }

  private void begin(Cluster now, Gang gang, Member member, Instant since) {
    int gpus = member.request().gpus();
    Optional<NodeId> node = member.node();
    if (gpus > 0 && node.isPresent() && !holdings.containsKey(member.id())) {
      String model =
          now.nodes().get(node.get()).map(found -> found.node().model().name()).orElse("");
      holdings.put(member.id(), new Holding(UsageAccount.of(gang, model), gpus, since));
    }
  }

  private void end(Cluster now, MemberId member) {
    Holding holding = holdings.remove(member);
    if (holding != null) {
      charge(holding, now.now());
    }
  }

  /// Charges all pods up to the newest image, and returns its time; empty before the first one.
  Optional<Instant> settle() {
    if (last == null) {
      return Optional.empty();
    }
    Instant now = last.now();
    holdings.replaceAll((_, holding) -> {
      charge(holding, now);
      Instant since = holding.since().isAfter(now) ? holding.since() : now;
      return new Holding(holding.account(), holding.gpus(), since);
    });
    return Optional.of(now);
  }

  /// Visits the GPUs of each pod that holds some, with their account.
  void each(ObjIntConsumer<UsageAccount> visitor) {
    holdings.values().forEach(holding -> visitor.accept(holding.account(), holding.gpus()));
  }

  /// Charges each day for its part.
  private void charge(Holding holding, Instant until) {
    Instant from = holding.since();
    while (from.isBefore(until)) {
      LocalDate day = LocalDate.ofInstant(from, ZoneOffset.UTC);
      Instant next = day.plusDays(1).atStartOfDay().toInstant(ZoneOffset.UTC);
      Instant end = next.isBefore(until) ? next : until;
      charges.accept(
          new UsageKey(day, holding.account()),
          Duration.between(from, end).toMillis() * holding.gpus());
      from = end;
    }
  }
}
