package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/// A gang runs on the nodes that do not fail it, if there are enough of them, whatever fails on the
/// others.
class AvoidedNodesPropertyTest {
  private static final Duration WITHIN = Duration.ofMinutes(30);

  /// What happens to a member on a node.
  enum Fate {
    RUNS,
    REFUSED,
    REJECTED,
    DIES,
    NEVER_BOUND
  }

  @Property(tries = 60)
  void gang_ends_up_on_the_sound_nodes(
      @ForAll @Size(min = 1, max = 4) List<Fate> others,
      @ForAll @IntRange(min = 1, max = 2) int n) {
    List<Fate> fates = new ArrayList<>(others);
    for (int i = 0; i < n; i++) {
      fates.add(Fate.RUNS); // the last nodes by name, which are tried last
    }
    World world = new World(fates, gang("g").of(n, 4));
    world.pass(WITHIN);
    assertThat(world.scene.nodesOf("g"))
        .hasSize(n)
        .allMatch(node -> world.fates.get(node) == Fate.RUNS);
  }

  @Property(tries = 30)
  void gang_without_a_sound_node_tries_every_node_again_and_again(
      @ForAll @Size(min = 1, max = 3) List<Fate> drawn) {
    List<Fate> fates = drawn.stream().map(fate -> fate == Fate.RUNS ? Fate.REFUSED : fate).toList();
    World world = new World(fates, gang("g").of(1, 4));
    world.pass(WITHIN);
    Map<String, Integer> earlier = new TreeMap<>(world.tries);
    world.pass(WITHIN);
    assertThat(world.tries.keySet()).hasSize(fates.size());
    assertThat(world.tries).isNotEqualTo(earlier);
  }

  /// Nodes of 4 GPUs with their fates, and a gang whose members are created again when they fail.
  private static final class World {
    private final Map<String, Fate> fates = new TreeMap<>();
    private final Map<String, Integer> tries = new TreeMap<>();
    private final Map<String, NodeId> seen = new TreeMap<>();
    private final List<Member> failed = new ArrayList<>(); // replaced a second later
    private final GangDraft gang;
    private final Scene scene;
    private int made;
    private int performed;

    World(List<Fate> fates, GangDraft gang) {
      StringBuilder drawing = new StringBuilder("b/r:");
      for (int i = 0; i < fates.size(); i++) {
        this.fates.put("n" + i, fates.get(i));
        drawing.append(" n").append(i).append("[....]");
      }
      this.gang = gang;
      this.scene = Scene.of(drawing.toString()).silent().arrives(gang);
    }

    void pass(Duration time) {
      for (long second = 0; second < time.toSeconds(); second++) {
        scene.after(Duration.ofSeconds(1));
        List<Member> again = List.copyOf(failed);
        failed.clear();
        again.forEach(pod -> replace(pod.gang(), pod.id()));
        List<Effect> asked = scene.asked();
        while (performed < asked.size()) {
          asked.subList(performed, asked.size()).forEach(this::perform);
          performed = asked.size();
          asked = scene.asked();
        }
      }
    }

    private void perform(Effect effect) {
      switch (effect) {
        case Effect.WriteReservation(var id, Reservation held) ->
            scene.then(new Event.ReservationWritten(scene.now(), id, held.edition()));
        case Effect.Evict(var id, var member, _, _, _) -> replace(id, member);
        case Effect.StartMember(var id, var member, NodeId node) ->
            scene
                .cluster()
                .gang(id)
                .members()
                .get(member)
                .filter(pod -> promised(pod).equals(Optional.of(node)))
                .ifPresent(pod -> meet(pod, node));
        default -> {}
      }
    }

    private Optional<NodeId> promised(Member pod) {
      return scene.cluster().promise(pod).map(Promise::node);
    }

    private void meet(Member pod, NodeId node) {
      boolean first = !node.equals(seen.put(pod.id().uid(), node));
      tries.merge(node.name(), 1, Integer::sum);
      Fate fate = fates.getOrDefault(node.name(), Fate.RUNS);
      switch (fate) {
        case RUNS -> scene.becomes(pod, new MemberState.Bound(node, scene.now()));
        case REFUSED -> refuse(pod, node, first);
        case NEVER_BOUND -> {}
        case REJECTED, DIES -> {
          scene.becomes(pod, new MemberState.Bound(node, scene.now()));
          var failure = new MemberState.EarlyFailure(node, fate == Fate.REJECTED);
          scene.becomes(pod, new MemberState.Ended(false, Optional.of(failure)));
          failed.add(pod);
        }
      }
    }

    /// The nomination stays, and an equal refusal is not seen again.
    private void refuse(Member pod, NodeId node, boolean first) {
      scene.then(new Event.MemberStarted(scene.now(), pod.gang(), pod.id(), node));
      if (first) {
        scene.becomes(pod, new MemberState.Waiting(Optional.of(node), false));
        scene.becomes(pod, new MemberState.Waiting(Optional.of(node), true));
      }
    }

    private void replace(GangId id, MemberId pod) {
      if (scene.cluster().gang(id).members().contains(pod)) {
        scene.then(new Event.MemberGone(scene.now(), id, pod));
        create(pod.name());
      }
    }

    private void create(String name) {
      int rank = Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
      scene.then(new Event.MemberSeen(scene.now(), gang.member(rank, "again" + made++)));
    }
  }
}
