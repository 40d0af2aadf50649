package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Of gangs with many kinds of members, a namespace has a few searched each second, whatever
/// happens. Each search for them costs much.
class CostlySearchesTest {
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final int NODES = 100;
  private static final int KINDS = 32;
  private static final int GANGS = 30;

  /// The gangs that a namespace has searched each second: each counts 37 of 1,024 members, or more.
  private static final long AT_ONCE = 28;

  /// On each node, 3 of 4 GPUs are free.
  private final Scene scene = Scene.of(drawing(NODES));

  private static String drawing(int nodes) {
    return IntStream.rangeClosed(1, nodes)
        .mapToObj(i -> "n" + i + "[#...]")
        .collect(Collectors.joining(" ", "b/r: ", ""));
  }

  /// Members that differ, of which one may be left out. The first ones need whole nodes.
  private static GangDraft mixed(String namespace, int number, int wholeNodes) {
    return mixed(gang(namespace, "mixed" + number).priority(number), wholeNodes);
  }

  private static GangDraft mixed(GangDraft mixed, int wholeNodes) {
    for (int kind = 0; kind < KINDS; kind++) {
      mixed = kind < wholeNodes ? mixed.of(1, 4) : mixed.ofParts(1, 40 + kind);
    }
    return mixed.minCount(KINDS - 1);
  }

  private void wait(String namespace, int wholeNodes) {
    for (int i = 0; i < GANGS; i++) {
      scene.arrives(mixed(namespace, i, wholeNodes));
    }
    scene.after(Duration.ofSeconds(20));
  }

  private void isFree(String node) {
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod(node)));
  }

  private Map<Integer, Long> answers(String namespace) {
    Map<Integer, Long> answers = new TreeMap<>();
    for (int i = 0; i < GANGS; i++) {
      int number = i;
      scene
          .state()
          .why(mixed(namespace, i, 0).id())
          .ifPresent(why -> answers.put(number, why.clusterVersion()));
    }
    return answers;
  }

  private long renewed(String namespace, Map<Integer, Long> before) {
    return answers(namespace).entrySet().stream()
        .filter(now -> !before.entrySet().contains(now))
        .count();
  }

  @Test
  void capacity_renews_a_few_answers_at_once_and_the_others_at_ticks() {
    wait("a", 4);
    Map<Integer, Long> before = answers("a");

    isFree("n1");
    long first = renewed("a", before);
    assertThat(first).isPositive();
    Map<Integer, Long> then = answers("a");
    isFree("n2");
    assertThat(first + renewed("a", then)).isLessThanOrEqualTo(AT_ONCE);
    scene.after(Duration.ofSeconds(5));
    assertThat(renewed("a", before)).isEqualTo(GANGS);
  }

  @Test
  void gang_of_few_kinds_behind_them_starts_at_once() {
    wait("a", 4);
    scene.arrives(gang("a", "plain").of(1, 4).priority(-1));
    scene.after(TICK);
    Map<Integer, Long> before = answers("a");
    isFree("n1");
    assertThat(renewed("a", before)).as("not all are searched").isLessThan(GANGS);
    assertThat(scene.cluster().gang(gang("a", "plain").id()).boundCount()).isOne();
  }

  /// On 1,000 nodes, a search for 31 members of these gangs counts 99.
  @Test
  void gangs_that_start_count_as_well() {
    Scene large = Scene.of(drawing(1_000));
    for (int i = 0; i < 14; i++) {
      large.arrives(mixed("a", i, 0));
    }
    large.arrives(mixed("b", 0, 0));

    assertThat(large.cluster().gang(mixed("b", 0, 0).id()).boundCount())
        .as("of another namespace")
        .isEqualTo(KINDS);
    assertThat(started(large)).isEqualTo(11);
    assertThat(started(large.after(TICK))).isEqualTo(14);
  }

  /// They are in one class. A tick searches one of its gangs in any case, and not all.
  @Test
  void equal_gangs_start_a_few_each_second() {
    Scene large = Scene.of(drawing(1_000).replace("[#...]", "[########]"));
    for (int i = 0; i < 30; i++) {
      large.arrives(mixed(gang("a", "mixed" + i), 0));
    }
    large.after(Duration.ofSeconds(10));
    for (int i = 1; i <= 10; i++) { // each node holds the pods of three gangs
      large.then(new Event.UnmanagedPodGone(large.now(), Scene.unmanagedPod("n" + i)));
    }
    long atOnce = started(large, 30);

    assertThat(atOnce).isBetween(1L, 11L);
    assertThat(started(large.after(TICK), 30) - atOnce).isBetween(1L, 12L);
  }

  private static long started(Scene large) {
    return started(large, 14);
  }

  private static long started(Scene large, int gangs) {
    return IntStream.range(0, gangs)
        .filter(i -> large.cluster().gang(mixed("a", i, 0).id()).boundCount() >= KINDS - 1)
        .count();
  }
}
