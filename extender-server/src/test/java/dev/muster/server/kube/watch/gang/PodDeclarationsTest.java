package dev.muster.server.kube.watch.gang;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Gang data of pods, compared with a plain reading of the rule, and the cost of merging them.
class PodDeclarationsTest {
  private static final GangId GANG = new GangId("ml", Origin.VOLCANO, "g");

  private record Stated(Member pod, Optional<GangSpec> own) {}

  private static Stated pod(int name, int rank, int created, Optional<String> node, int minCount) {
    Member pod =
        new Member(
            new MemberId("ml", "p" + name, "u" + name),
            GANG,
            rank,
            0,
            new Request(Resources.NONE, 1, 0, NodeSelection.ANY, false),
            GangConstraints.NONE,
            new MemberState.Held(false),
            Instant.ofEpochSecond(created));
    SortedTable<MemberId, NodeId> none = SortedTable.empty();
    GangSpec own =
        GangSpec.of(GANG, Math.max(1, minCount), "q", pod.createdAt())
            .recording(none.with(pod.id(), node.map(NodeId::new)));
    return new Stated(pod, Optional.of(own).filter(_ -> minCount > 0));
  }

  /// Returns the data of the gang by the words of the rule.
  private static Optional<GangSpec> plain(Map<Integer, Stated> pods) {
    List<Stated> speakers =
        pods.values().stream()
            .filter(each -> each.own().isPresent())
            .sorted(Comparator.comparing(Stated::pod, Member.BY_RANK))
            .toList();
    if (speakers.isEmpty()) {
      return Optional.empty();
    }
    GangSpec all = speakers.getFirst().own().orElseThrow();
    SortedTable<MemberId, NodeId> recorded = SortedTable.empty();
    Instant oldest = Instant.MAX;
    for (Stated speaker : speakers) {
      GangSpec own = speaker.own().orElseThrow();
      recorded = recorded.with(speaker.pod().id(), own.recorded().get(speaker.pod().id()));
      oldest = own.createdAt().isBefore(oldest) ? own.createdAt() : oldest;
    }
    return Optional.of(all.bornAt(oldest).recording(recorded));
  }

  @Test
  void merged_data_equal_the_plain_rule() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      PodDeclarations declarations = new PodDeclarations();
      Map<Integer, Stated> pods = new TreeMap<>();
      for (int step = 0; step < 60; step++) {
        int name = random.nextInt(6);
        Optional<Member> before = Optional.ofNullable(pods.get(name)).map(Stated::pod);
        if (before.isPresent() && random.nextInt(4) == 0) {
          declarations.remove(before.get());
          pods.remove(name);
        } else {
          Stated now =
              pod(
                  name,
                  random.nextInt(3),
                  random.nextInt(5),
                  random.nextBoolean() ? Optional.of("n" + random.nextInt(3)) : Optional.empty(),
                  random.nextInt(4));
          declarations.put(before, now.pod(), now.own());
          pods.put(name, now);
        }
        assertThat(declarations.of(GANG)).as("seed %d, step %d", seed, step).isEqualTo(plain(pods));
      }
    }
  }

  private static long bytes(int pods) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    PodDeclarations declarations = new PodDeclarations();
    for (int i = 0; i < pods; i++) {
      Stated now = pod(i, i, i, Optional.of("n" + i), 1);
      declarations.put(Optional.empty(), now.pod(), now.own());
      assertThat(declarations.of(GANG)).isPresent();
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void memory_for_one_pod_does_not_grow_with_the_others() {
    bytes(100);
    long few = bytes(500);
    long many = bytes(5_000);

    assertThat(many).isLessThan(20 * few);
  }
}
