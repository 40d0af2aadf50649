package dev.muster.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.cluster.QueueUsage.GangUsage;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.RandomWorkload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// One event carries several facts about a gang.
class GangChangedTest {
  private static final GangId OTHER = new GangId("ml", GangId.Origin.POD_GROUP, "other");

  @Property(tries = 150)
  void combined_fact_equals_separate_facts(@ForAll @IntRange(min = 0) int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 30; turn++) {
      workload.turn();
    }
    Cluster image = workload.scene().cluster();
    Random random = new Random(seed);
    for (Gang gang : image.gangs()) {
      List<Event.GangFact> facts = facts(gang, image, random);
      Cluster oneByOne = image;
      for (Event.GangFact fact : facts) {
        oneByOne = oneByOne.apply(fact);
      }
      Cluster atOnce = image.apply(new Event.GangChanged(image.now(), gang.id(), facts));
      assertThat(parts(atOnce)).as("%s", facts).isEqualTo(parts(oneByOne));
    }
  }

  /// All of an image but the number of events that made it.
  private static List<Object> parts(Cluster image) {
    return List.of(
        image.fabric(),
        image.nodes(),
        image.gangs(),
        image.reservations(),
        image.locations(),
        image.holds(),
        image.mix(),
        computed(image.ledger(), image.now()));
  }

  /// Returns the ledger with usage computed up to one instant. What a gang held when it was last
  /// whole may differ: facts that are told one by one show more of its past.
  private static UsageLedger computed(UsageLedger ledger, Instant now) {
    SortedTable<GangId, GangUsage> gangs = SortedTable.empty();
    for (var each : ledger.gangUsages().entries()) {
      GangUsage it = each.value();
      GangUsage known =
          new GangUsage(it.queue(), it.held(), it.kept(), it.asking(), it.hopeless(), 0);
      boolean counts = !it.held().isEmpty() || it.asking().isPresent() || it.hopeless();
      gangs = counts ? gangs.with(each.key(), known) : gangs;
    }
    SortedTable<String, QueueUsage> accounts = ledger.accounts();
    for (String queue : ledger.accounts().keys()) {
      QueueUsage account = ledger.account(queue);
      accounts = accounts.with(queue, account.having(account.usage().at(now)));
    }
    return new UsageLedger(ledger.halfLife(), ledger.podUsages(), gangs, accounts, ledger.supply());
  }

  /// Returns facts about the gang's object and some of its pods. All pods get nodes, or all end. A
  /// gang that is gone and at once back was never gone. Neither was one that has nothing and then
  /// as much.
  private static List<Event.GangFact> facts(Gang gang, Cluster image, Random random) {
    boolean ends = random.nextBoolean();
    List<Event.GangFact> facts = new ArrayList<>();
    for (Member pod : gang.members()) {
      if (random.nextInt(3) > 0) {
        facts.add(moved(pod, ends, image, random));
      }
    }
    GangSpec spec = gang.spec().orElseGet(() -> GangSpec.of(gang.id(), 1, "q0", image.now()));
    Event.GangFact said =
        random.nextBoolean()
            ? new Event.GangGone(image.now(), gang.id())
            : new Event.GangSeen(image.now(), spec.prior(Optional.of(random.nextInt(3))));
    facts.add(random.nextInt(facts.size() + 1), said);
    return facts;
  }

  private static Event.GangFact moved(Member pod, boolean ends, Cluster image, Random random) {
    Instant at = image.now();
    if (!ends) {
      NodeId node = any(image.nodes().keys(), random);
      return new Event.MemberSeen(at, pod.as(new MemberState.Bound(node, at)));
    }
    return random.nextBoolean()
        ? new Event.MemberGone(at, pod.gang(), pod.id())
        : new Event.MemberSeen(at, pod.as(new MemberState.Ended(random.nextBoolean())));
  }

  private static <T> T any(List<T> some, Random random) {
    return some.get(random.nextInt(some.size()));
  }

  @Test
  void facts_of_two_gangs_do_not_combine() {
    Event.GangFact fact = new Event.GangGone(Instant.EPOCH, OTHER);
    GangId gang = new GangId("ml", GangId.Origin.POD_GROUP, "a");
    assertThatThrownBy(() -> new Event.GangChanged(Instant.EPOCH, gang, List.of(fact)))
        .hasMessageContaining("ml/other")
        .hasMessageContaining("ml/a");
    assertThatThrownBy(() -> new Event.GangChanged(Instant.EPOCH, gang, List.of()))
        .hasMessageContaining("ml/a has no facts");
  }
}
