package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.preempt.PreemptingGang;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.PreemptionPlan;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.Preemptor;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import dev.muster.core.victims.QuotaShortage;
import dev.muster.core.victims.VictimCandidate;
import dev.muster.core.victims.VictimSearch;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import org.junit.jupiter.api.Test;

/// The work of one victim search is bounded, however many gangs run.
class VictimSearchWorkTest {
  private static final int NODES = 100;
  private static final int GPUS = 12;

  private State state = State.empty(Scene.RACKS);

  /// Counts the questions of a search.
  private static final class Counter implements Preemptor {
    private final PreemptingGang asked;
    private int images;
    private int sets;

    private Counter(PreemptingGang asked) {
      this.asked = asked;
    }

    @Override
    public Gang gang() {
      return asked.gang();
    }

    @Override
    public List<Member> members() {
      return asked.members();
    }

    @Override
    public Cluster image() {
      images++;
      return asked.image();
    }

    @Override
    public SearchResult place(Cluster image) {
      return asked.place(image);
    }

    @Override
    public boolean mayTake(PreemptionPlan plan) {
      return asked.mayTake(plan);
    }

    @Override
    public int left(Collection<VictimCandidate> victims) {
      return asked.left(victims);
    }

    @Override
    public List<VictimCandidate> candidates(GangId running) {
      return asked.candidates(running);
    }

    @Override
    public List<VictimCandidate> ownCandidates() {
      return asked.ownCandidates();
    }

    @Override
    public Optional<List<QuotaShortage>> shortages(SortedSet<String> models) {
      return asked.shortages(models);
    }

    @Override
    public OptionalInt shortfall(Collection<VictimCandidate> victims) {
      sets++;
      return asked.shortfall(victims);
    }
  }

  private static Policies most(int gpus) {
    Queues queues = Queues.of(List.of(Queue.of("a").most(Quota.of(gpus)), Queue.of("b")));
    return Policies.of(queues, Duration.ofMinutes(2), Optional.empty())
        .with(new PriorityPreemptionPolicy(Mode.SHADOW));
  }

  /// Lone pods run on each node: so many, of so many GPUs, and others without GPUs.
  private void runs(Engine engine, int lone, int gpusEach, int others) {
    for (int number = 0; number < NODES; number++) {
      String name = "n%03d".formatted(number);
      Map<String, String> labels = Map.of("block", "b", "rack", "r");
      Event seen = new Event.NodeSeen(Scene.START, Scene.node(name, labels, GPUS, "H100", false));
      state = engine.step(state, seen).after();
      MemberState there = new MemberState.Bound(new NodeId(name), Scene.START);
      for (int pod = 0; pod < lone + others; pod++) {
        GangDraft low = gang(name + "-" + pod).of(1, pod < lone ? gpusEach : 0).queue("a");
        state = engine.step(state, new Event.GangSeen(Scene.START, low.spec())).after();
        Member member = low.members().getFirst().as(there);
        state = engine.step(state, new Event.MemberSeen(Scene.START, member)).after();
      }
    }
    state = engine.step(state, new Event.Synced(Scene.START)).after();
  }

  /// Searches victims for the gang, of which some are found.
  private Counter search(Engine engine, Policies policies, GangDraft draft) {
    state = engine.step(state, new Event.GangSeen(Scene.START, draft.spec())).after();
    for (Member member : draft.members()) {
      state = engine.step(state, new Event.MemberSeen(Scene.START, member)).after();
    }
    Gang gang = state.cluster().gang(draft.id());
    Counter counter = new Counter(PreemptingGang.of(state, gang, policies));
    assertThat(VictimSearch.search(counter, policies.preemption())).isPresent();
    return counter;
  }

  /// A gang that frees no GPUs is not weighed again for each node.
  @Test
  void gangs_without_gpus_are_left_out_once_for_all_nodes() {
    Policies policies = most(NODES * GPUS);
    Engine engine = new Engine(policies);
    runs(engine, 1, GPUS, 5);
    GangDraft urgent = gang("urgent").of(1, GPUS).queue("a").priority(10).within("node");

    assertThat(search(engine, policies, urgent).images).isLessThan(NODES * 50);
  }

  /// Of each of the nodes, 2,510 sets of pods free enough GPUs.
  @Test
  void all_sets_of_victims_are_weighed_on_a_part_of_the_nodes() {
    Policies policies = Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.SHADOW));
    Engine engine = new Engine(policies);
    runs(engine, GPUS, 1, 0);
    GangDraft urgent = gang("urgent").of(1, 2).of(1, 4).priority(10).within("node");

    assertThat(search(engine, policies, urgent).sets).isLessThan(100_000);
  }
}
