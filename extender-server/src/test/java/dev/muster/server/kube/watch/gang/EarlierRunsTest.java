package dev.muster.server.kube.watch.gang;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.codec.PodFact;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Pods of earlier runs, compared with a plain reading of the rule, and the cost of finding them.
class EarlierRunsTest {
  private static final GangId GANG = new GangId("ml", Origin.POD_GROUP, "g");

  /// A pod of a maker. Times are seconds; an end of 0 is none.
  private static PodFact.Ours pod(String key, String maker, int created, int end, boolean failed) {
    MemberState state =
        end == 0 && !failed ? new MemberState.Held(false) : new MemberState.Ended(!failed);
    Request request = new Request(Resources.NONE, 1, 0, NodeSelection.ANY, false);
    Member member =
        new Member(
            new MemberId("ml", key, key),
            GANG,
            0,
            0,
            request,
            GangConstraints.NONE,
            state,
            Instant.ofEpochSecond(created));
    Optional<Instant> over = end == 0 ? Optional.empty() : Optional.of(Instant.ofEpochSecond(end));
    return new PodFact.Ours(
        member, Optional.empty(), Optional.empty(), new PodFact.Stint(maker, over));
  }

  /// Returns the pods of earlier runs by the words of the rule.
  private static Set<String> plain(Map<String, PodFact.Ours> pods) {
    Set<String> past = new HashSet<>();
    Set<String> makers = new HashSet<>();
    pods.values().forEach(pod -> makers.add(pod.stint().maker()));
    for (String maker : makers) {
      List<PodFact.Ours> run =
          pods.values().stream().filter(pod -> pod.stint().maker().equals(maker)).toList();
      boolean ended =
          run.stream()
              .allMatch(pod ->
                  pod.stint().over().isPresent()
                      || (pod.member().state() instanceof MemberState.Ended(boolean well, _)
                          && !well));
      boolean followed =
          pods.values().stream()
              .anyMatch(pod ->
                  run.stream()
                      .allMatch(one ->
                          one.stint().over().isEmpty()
                              || one.stint().over().get().isBefore(pod.member().createdAt())));
      if (ended && followed && makers.size() > 1) {
        run.forEach(pod -> past.add(pod.member().id().name()));
      }
    }
    return past;
  }

  /// A random event of one of 8 pods, and what is told after it.
  private static final class Story {
    private final Random random;
    private final EarlierRuns runs = new EarlierRuns();
    private final Map<String, PodFact.Ours> pods = new TreeMap<>();
    private final Set<String> past = new HashSet<>();

    Story(int seed) {
      random = new Random(seed);
    }

    void event() {
      String key = "p" + random.nextInt(8);
      if (random.nextInt(4) == 0 && pods.containsKey(key)) {
        assertThat(runs.remove(key, pods.remove(key))).isEqualTo(past.remove(key));
      } else {
        put(
            key,
            pod(
                key,
                "m" + random.nextInt(4),
                random.nextInt(10),
                random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(10),
                random.nextInt(5) == 0));
      }
      told();
    }

    private void put(String key, PodFact.Ours pod) {
      pods.put(key, pod);
      runs.put(key, pod);
    }

    private void told() {
      GangRuns.Changes changes = runs.changes(GANG);
      assertThat(changes.present().keySet()).allMatch(past::contains);
      assertThat(changes.past().keySet()).noneMatch(past::contains);
      past.removeAll(changes.present().keySet());
      past.addAll(changes.past().keySet());
      assertThat(pods.keySet().stream().filter(each -> runs.isPast(GANG, each)))
          .containsExactlyInAnyOrderElementsOf(past);
    }

    /// Each pod is seen once more, so everything told is paid for.
    void calm() {
      new TreeMap<>(pods)
          .forEach((key, pod) -> {
            put(key, pod);
            told();
          });
    }
  }

  @Test
  void pods_of_earlier_runs_never_count() {
    for (int seed = 0; seed < 300; seed++) {
      Story story = new Story(seed);
      for (int step = 0; step < 60; step++) {
        story.event();
        assertThat(story.past).as("seed %d", seed).containsAll(plain(story.pods));
      }
    }
  }

  @Test
  void told_pods_follow_the_plain_rule_after_an_event_of_each() {
    for (int seed = 0; seed < 300; seed++) {
      Story story = new Story(seed);
      for (int step = 0; step < 60; step++) {
        story.event();
      }
      story.calm();
      assertThat(story.past).as("seed %d", seed).isEqualTo(plain(story.pods));
    }
  }

  @Test
  void run_counts_again_when_the_next_one_is_gone() {
    EarlierRuns runs = new EarlierRuns();
    for (int i = 0; i < 1_000; i++) {
      runs.put("p" + i, pod("p" + i, "", 0, 5, false));
    }
    runs.put("new", pod("new", "m", 10, 0, false));
    assertThat(runs.changes(GANG).past()).hasSize(1_000);

    runs.remove("new", pod("new", "m", 10, 0, false));
    assertThat(runs.changes(GANG).present()).hasSize(1_000);
  }

  /// Returns the number of pods told in 200 events. A pod of a newer maker comes and goes.
  private static int told(EarlierRuns runs, PodFact.Ours next) {
    int told = 0;
    for (int i = 0; i < 100; i++) {
      runs.put("new", next);
      told += moved(runs);
      runs.remove("new", next);
      told += moved(runs);
    }
    return told;
  }

  private static int moved(EarlierRuns runs) {
    GangRuns.Changes changes = runs.changes(GANG);
    return changes.past().size() + changes.present().size();
  }

  @Test
  void old_pods_of_one_maker_move_no_more_often_than_events_come() {
    EarlierRuns runs = new EarlierRuns();
    for (int i = 0; i < 1_000; i++) {
      runs.put("p" + i, pod("p" + i, "", 0, 0, true)); // rejected by the kubelet
    }

    assertThat(told(runs, pod("new", "m", 10, 0, false))).isLessThan(3_500);
  }

  @Test
  void old_pods_of_many_makers_move_no_more_often_than_events_come() {
    EarlierRuns runs = new EarlierRuns();
    for (int i = 0; i < 1_000; i++) {
      runs.put("p" + i, pod("p" + i, "m" + i, 0, 5, false));
    }

    assertThat(told(runs, pod("new", "m", 10, 0, false))).isLessThan(3_500);
  }

  @Test
  void old_pods_move_no_more_often_than_pods_of_their_maker_come() {
    EarlierRuns runs = new EarlierRuns();
    for (int i = 0; i < 1_000; i++) {
      runs.put("p" + i, pod("p" + i, "", 0, 5, false));
    }
    runs.put("other", pod("other", "m", 10, 0, false));

    assertThat(told(runs, pod("new", "", 10, 0, false))).isLessThan(4_500);
  }

  @Test
  void running_pod_of_a_past_run_counts_without_the_others() {
    EarlierRuns runs = new EarlierRuns();
    for (int i = 0; i < 1_000; i++) {
      runs.put("p" + i, pod("p" + i, "", 0, 5, false));
    }
    runs.put("other", pod("other", "m", 10, 0, false));
    PodFact.Ours next = pod("new", "", 10, 0, false);
    told(runs, next);
    runs.put("new", next);
    runs.changes(GANG);

    assertThat(runs.isPast(GANG, "new")).isFalse();
    assertThat(runs.isPast(GANG, "p0")).isTrue();
  }

  private static long allocated(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static void finished(int runs) {
    EarlierRuns all = new EarlierRuns();
    for (int i = 0; i < runs; i++) {
      all.put("p" + i, pod("p" + i, "m" + i, 10 * i, 10 * i + 5, false));
      all.changes(GANG);
    }
  }

  @Test
  void memory_for_one_pod_does_not_grow_with_old_runs() {
    finished(100);
    long some = allocated(() -> finished(500));
    long many = allocated(() -> finished(5_000));

    assertThat(many).isLessThan(15 * some);
  }
}
