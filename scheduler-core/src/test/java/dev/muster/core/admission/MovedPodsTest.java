package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// GPUs of running pods stay in the queue in which they started, whichever gangs the pods move to
/// and whatever the objects of these name.
class MovedPodsTest {
  private static final List<String> NAMES = List.of("a", "b", "nlp", "zzz");
  private static final Policies POLICIES =
      Policies.of(
          Queues.of(
              List.of(
                  Queue.of("a").taking(List.of("ml")),
                  Queue.of("b"),
                  Queue.of("nlp").taking(List.of("nlp")))),
          Policies.DEFAULT.bindTimeout(),
          Optional.empty());
  private static final GangDraft JOB = gang("job").of(8, 1).minCount(1);
  private static final GangId GANG = JOB.id();

  private Scene scene = cluster();

  private static Scene cluster() {
    return Scene.of("b/r: n1[........] n2[........]", POLICIES);
  }

  private Member pod(int rank) {
    return JOB.member(rank, "").as(new MemberState.Bound(new NodeId("n1"), scene.now()));
  }

  private static GangId alone(int rank) {
    return new GangId("ml", GangId.Origin.POD, "pod-" + rank);
  }

  private void declared(GangId gang, String queue) {
    scene.then(new Event.GangSeen(scene.now(), GangSpec.of(gang, 1, queue, scene.now())));
  }

  private void startsAlone(int rank, String queue) {
    declared(alone(rank), queue);
    seen(pod(rank).in(alone(rank)));
  }

  private void seen(Member pod) {
    scene.then(new Event.MemberSeen(scene.now(), pod));
  }

  private void gone(Member pod, GangId gang) {
    scene.then(new Event.MemberGone(scene.now(), gang, pod.id()));
  }

  private void moves(Member pod, GangId from, GangId to) {
    seen(pod.in(to));
    gone(pod, from);
  }

  private int charged(String queue) {
    return scene.cluster().ledger().account(queue).inUse();
  }

  @Test
  void lone_pod_takes_its_queue_to_the_gang_of_its_owner() {
    startsAlone(0, "a");
    moves(pod(0), alone(0), GANG);
    declared(GANG, "zzz");
    assertThat(charged("a")).isEqualTo(1);
    assertThat(scene.gang("job").queue()).isEqualTo("a");
    assertThat(scene.gang("job").boundCount()).isEqualTo(1);
  }

  @Test
  void lone_pod_of_the_queue_of_the_gang_joins_it_for_good() {
    seen(pod(0));
    startsAlone(1, "ml");
    moves(pod(1), alone(1), GANG);
    declared(GANG, "b");
    assertThat(charged("a")).isEqualTo(2);
  }

  @Test
  void lone_pod_of_another_queue_does_not_count_for_the_gang() {
    declared(GANG, "b");
    seen(pod(0));
    startsAlone(1, "a");
    moves(pod(1), alone(1), GANG);
    assertThat(charged("a")).isEqualTo(1);
    assertThat(charged("b")).isEqualTo(1);
    assertThat(scene.gang("job").boundCount()).isEqualTo(1);
  }

  @Test
  void pod_that_does_not_count_for_the_gang_leaves_nothing_at_its_end() {
    declared(GANG, "b");
    seen(pod(0));
    startsAlone(1, "a");
    moves(pod(1), alone(1), GANG);
    gone(pod(1), GANG);
    gone(pod(0), GANG);
    scene.then(new Event.GangGone(scene.now(), GANG));
    scene.then(new Event.GangGone(scene.now(), alone(1)));
    assertThat(scene.cluster().gangs().keys()).isEmpty();
    assertThat(scene.cluster().ledger().gangUsages().isEmpty()).isTrue();
  }

  /// It is charged to nobody while its node is not ready.
  @Test
  void pod_beside_the_gang_on_a_failed_node_stays_in_its_queue_until_its_end() {
    declared(GANG, "b");
    seen(pod(0));
    startsAlone(1, "a");
    moves(pod(1), alone(1), GANG);
    ready(false);
    seen(pod(1).as(new MemberState.Leaving(pod(1).node())));
    assertThat(charged("a")).isZero();
    ready(true);
    seen(pod(1).as(new MemberState.Leaving(pod(1).node())));
    assertThat(charged("a")).isEqualTo(1);
    gone(pod(1), GANG);
    assertThat(charged("a")).isZero();
    assertThat(scene.state("n1").usedGpus()).isEqualTo(1);
  }

  private void ready(boolean ready) {
    Node node = scene.state("n1").node();
    List<String> faults = ready ? List.of() : List.of(Node.NOT_READY);
    scene.then(new Event.NodeSeen(scene.now(), node.withFaults(faults)));
  }

  /// All pods are apart for a moment, in which the object of the gang names another queue.
  @Test
  void pods_that_are_apart_and_return_stay_in_their_queue() {
    declared(GANG, "a");
    seen(pod(0));
    moves(pod(0), GANG, GANG.apart("o1"));
    declared(GANG, "b");
    seen(pod(1));
    moves(pod(0), GANG.apart("o1"), GANG);
    assertThat(charged("a")).isEqualTo(1);
    assertThat(charged("b")).isEqualTo(1);
  }

  /// Else the gang could start others in their stead, whatever others claim.
  @Test
  void pods_that_are_apart_are_not_lost() {
    scene.then(new Event.GangSeen(scene.now(), JOB.minCount(2).queue("a").spec()));
    seen(pod(0));
    seen(pod(1));
    moves(pod(1), GANG, GANG.apart("o1"));
    assertThat(scene.cluster().ledger().lost(GANG)).isZero();
  }

  @Test
  void two_pods_that_join_at_once_stay_in_their_queues() {
    startsAlone(0, "a");
    startsAlone(1, "b");
    scene.then(
        new Event.GangChanged(
            scene.now(),
            GANG,
            List.of(
                new Event.MemberSeen(scene.now(), pod(0)),
                new Event.MemberSeen(scene.now(), pod(1)),
                new Event.GangSeen(scene.now(), GangSpec.of(GANG, 1, "zzz", scene.now())))));
    assertThat(charged("a")).isEqualTo(1);
    assertThat(charged("b")).isEqualTo(1);
  }

  @Property(tries = 300)
  void gpus_stay_in_their_queue_under_any_edits(@ForAll @IntRange(min = 0) int seed) {
    scene = cluster();
    Random random = new Random(seed);
    Map<Integer, GangId> running = new TreeMap<>();
    for (int turn = 0; turn < 60; turn++) {
      Map<MemberId, String> before = queues(scene.cluster());
      edit(random, running);
      Map<MemberId, String> after = queues(scene.cluster());
      before.keySet().retainAll(after.keySet());
      after.keySet().retainAll(before.keySet());
      assertThat(after).isEqualTo(before);
    }
    running.forEach((rank, gang) -> gone(pod(rank), gang));
    scene
        .cluster()
        .gangs()
        .keys()
        .forEach(gang -> scene.then(new Event.GangGone(scene.now(), gang)));
    assertThat(scene.cluster().ledger().podUsages().isEmpty()).isTrue();
    assertThat(scene.cluster().ledger().accounts().values())
        .allMatch(account -> account.inUse() == 0);
    assertThat(scene.cluster().gangs().isEmpty()).isTrue();
  }

  private void edit(Random random, Map<Integer, GangId> running) {
    int rank = random.nextInt(8);
    List<GangId> gangs = List.of(alone(rank), GANG, GANG.apart("o1"), GANG.apart("o2"));
    GangId gang = gangs.get(random.nextInt(gangs.size()));
    String queue = NAMES.get(random.nextInt(NAMES.size()));
    GangId now = running.get(rank);
    switch (random.nextInt(7)) {
      case 0, 1 -> {
        if (now == null) {
          declaresOnce(gang, queue);
          seen(pod(rank).in(gang));
        } else if (!now.equals(gang)) {
          moves(pod(rank), now, gang);
        }
        running.put(rank, gang);
      }
      case 2 -> declared(random.nextBoolean() ? GANG : alone(rank), queue);
      case 3 -> scene.then(new Event.GangGone(scene.now(), random.nextBoolean() ? GANG : gang));
      case 4 -> {
        if (now != null) {
          if (random.nextBoolean()) {
            seen(pod(rank).in(now).as(new MemberState.Ended(true)));
          }
          gone(pod(rank), now);
          running.remove(rank);
        }
      }
      case 5 -> {
        if (now != null) {
          seen(pod(rank).in(now));
        }
      }
      default -> scene.after(Duration.ofSeconds(1));
    }
  }

  /// Muster starts no pods of a gang without an object.
  private void declaresOnce(GangId gang, String queue) {
    if (!gang.isApart() && scene.cluster().gang(gang).spec().isEmpty()) {
      declared(gang, queue);
    }
  }

  private static Map<MemberId, String> queues(Cluster cluster) {
    Map<MemberId, String> queues = new TreeMap<>();
    for (var pod : cluster.ledger().podUsages().entries()) {
      queues.put(
          pod.key(), cluster.ledger().gangUsages().get(pod.value().gang()).orElseThrow().queue());
    }
    return queues;
  }
}
