package dev.muster.server.http;

import static dev.muster.server.http.PodJson.alone;
import static dev.muster.server.http.PodJson.asks;
import static dev.muster.server.http.PodJson.ofTrain;
import static dev.muster.server.http.PodJson.stranger;
import static dev.muster.server.http.ServerImages.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import dev.muster.server.http.extender.ExtenderAnswers;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderPod;
import dev.muster.server.http.extender.FilterAnswer;
import dev.muster.server.http.extender.KeyCasing;
import dev.muster.server.http.extender.OfferedNodes;
import dev.muster.server.http.extender.PreemptionArgs;
import dev.muster.server.http.extender.PreemptionArgs.Candidate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// The extender answers kube-scheduler on images of a few nodes.
class ExtenderTest {
  private final ExtenderAnswers extender = new ExtenderAnswers(ServerImages.SCOPE);

  private List<String> passing(ServerImages image, ExtenderArgs args) {
    return extender.filter(image.state(), args).passing().orElseThrow().names();
  }

  private void refuses(ServerImages image, ExtenderArgs args, String node, String reason) {
    FilterAnswer answer = extender.filter(image.state(), args);
    assertThat(answer.passing().orElseThrow().names()).isEmpty();
    assertThat(answer.refusal()).contains(new FilterAnswer.Refusal(node, reason));
    assertThat(answer.error()).isEmpty();
  }

  @Nested
  class Filter {
    @Test
    void unmanaged_pod_may_use_any_node() {
      assertThat(passing(cluster(), asks(stranger(), "cpu-1", "gpu-1")))
          .containsExactly("cpu-1", "gpu-1");
    }

    @Test
    void pod_of_another_scheduler_is_unmanaged() {
      var pod = PodJson.pod("ml", "w", "u", "volcano", List.of(ServerImages.TRAIN), true);
      assertThat(passing(cluster(), asks(pod, "gpu-1", "gpu-2"))).containsExactly("gpu-1", "gpu-2");
    }

    @Test
    void promised_member_passes_only_on_its_node() {
      ServerImages image = cluster().train(2).waiting("w0").waiting("w1").promised("w0", "gpu-2");
      FilterAnswer answer =
          extender.filter(image.state(), asks(ofTrain("w0"), "gpu-1", "gpu-2", "gpu-3"));
      assertThat(answer.passing().orElseThrow().names()).containsExactly("gpu-2");
      assertThat(answer.refusal()).isEmpty();
    }

    @Test
    void nominated_node_offered_alone_passes_only_if_promised() {
      ServerImages image = cluster().train(1).waiting("w0").promised("w0", "gpu-2");
      assertThat(passing(image, asks(ofTrain("w0"), "gpu-2"))).containsExactly("gpu-2");
      refuses(image, asks(ofTrain("w0"), "gpu-3"), "gpu-3", "muster: reserved on another node");
    }

    @Test
    void empty_offer_gets_an_empty_answer() {
      ServerImages image = cluster().train(1).waiting("w0").promised("w0", "gpu-2");
      FilterAnswer answer = extender.filter(image.state(), asks(ofTrain("w0")));
      assertThat(answer).isEqualTo(FilterAnswer.passing(new OfferedNodes.Names(List.of())));
    }

    @Test
    void bound_member_passes_on_its_own_node() {
      ServerImages image = cluster().train(1).bound("w0", "gpu-3");
      assertThat(passing(image, asks(ofTrain("w0"), "gpu-1", "gpu-3"))).containsExactly("gpu-3");
    }

    @Test
    void waiting_gang_is_refused_with_its_reason_once() {
      ServerImages image =
          cluster().train(1).waiting("w0").waits(new Veto.NotEnoughFree(ServerImages.GPU, 16, 8));
      refuses(
          image,
          asks(ofTrain("w0"), "gpu-2", "gpu-1"),
          "gpu-2",
          "muster: gang ml/train waits: WaitingForCapacity");
    }

    @Test
    void answer_stays_equal_when_only_numbers_change() {
      ServerImages image = cluster().train(1).waiting("w0");
      ExtenderArgs args = asks(ofTrain("w0"), "gpu-1");
      FilterAnswer before =
          extender.filter(
              image.waits(new Veto.NotEnoughFree(ServerImages.GPU, 16, 8)).state(), args);
      FilterAnswer after =
          extender.filter(
              image.waits(new Veto.NotEnoughFree(ServerImages.GPU, 16, 15)).state(), args);
      assertThat(after).isEqualTo(before);
    }

    @Test
    void rejected_gang_is_refused_with_its_reason() {
      Veto tooBig = new Veto.TooBig("node", 9, 8);
      ServerImages image =
          cluster()
              .train(1)
              .waiting("w0")
              .decided(
                  new Decision.Reject(
                      ServerImages.TRAIN, Explanation.of(cluster().state().cluster(), tooBig)));
      refuses(
          image,
          asks(ofTrain("w0"), "gpu-1"),
          "gpu-1",
          "muster: gang ml/train waits: ImpossibleRequest");
    }

    @Test
    void gathering_gang_waits_for_members() {
      refuses(
          cluster().train(4).waiting("w0"),
          asks(ofTrain("w0"), "gpu-1"),
          "gpu-1",
          "muster: gang ml/train waits: WaitingForMembers");
    }

    @Test
    void gang_without_pod_group_is_refused_with_that_reason() {
      refuses(
          cluster().waiting("w0"),
          asks(ofTrain("w0"), "gpu-1"),
          "gpu-1",
          "muster: gang ml/train waits: PodGroupMissing");
    }

    @Test
    void whole_gang_without_decision_is_pending() {
      refuses(
          cluster().train(1).waiting("w0"),
          asks(ofTrain("w0"), "gpu-1"),
          "gpu-1",
          "muster: gang ml/train waits: PendingEvaluation");
    }

    @Test
    void unknown_pod_is_refused() {
      refuses(cluster(), asks(alone("p"), "gpu-1"), "gpu-1", "muster has not seen this pod yet");
    }

    @Test
    void another_pod_of_the_same_name_does_not_get_the_promise() {
      ServerImages image = cluster().train(1).waiting("w0").promised("w0", "gpu-2");
      var reborn =
          PodJson.pod(
              "ml", "w0", "uid-new", "default-scheduler", List.of(ServerImages.TRAIN), true);
      refuses(image, asks(reborn, "gpu-2"), "gpu-2", "muster has not seen this pod yet");
    }

    @Test
    void unreadable_lone_pod_is_not_reported_as_missing_its_pod_group() {
      ServerImages image =
          cluster()
              .member(
                  ServerImages.lone("p"), "p", new MemberState.Waiting(Optional.empty(), false));
      refuses(
          image,
          asks(alone("p"), "gpu-1"),
          "gpu-1",
          "muster: gang ml/p waits: InvalidSpecification");
    }

    @Test
    void member_without_gpus_is_a_member() {
      ServerImages image = cluster().train(2).waiting("launcher");
      var launcher =
          PodJson.pod(
              "ml",
              "launcher",
              "uid-launcher",
              "default-scheduler",
              List.of(ServerImages.TRAIN),
              false);
      assertThat(passing(image, asks(launcher, "cpu-1"))).isEmpty();
    }

    @Test
    void unanswerable_request_is_an_error() {
      var nameless = PodJson.pod("ml", "", "", "default-scheduler", List.of(), true);
      assertThat(extender.filter(cluster().state(), asks(nameless, "gpu-1")).error())
          .contains("metadata.uid");
      var noPod =
          new ExtenderArgs(
              Optional.empty(), Optional.of(new OfferedNodes.Names(List.of())), KeyCasing.GO);
      assertThat(extender.filter(cluster().state(), noPod).error()).contains("no Pod");
      var noNodes = new ExtenderArgs(Optional.of(stranger()), Optional.empty(), KeyCasing.GO);
      assertThat(extender.filter(cluster().state(), noNodes).error()).contains("NodeNames");
    }
  }

  @Nested
  class Prioritize {
    @Test
    void reserved_node_has_the_highest_score() {
      ServerImages image = cluster().train(1).waiting("w0").promised("w0", "gpu-2");
      assertThat(extender.prioritize(image.state(), asks(ofTrain("w0"), "gpu-1", "gpu-2")))
          .containsExactly("gpu-2");
    }

    @Test
    void unmanaged_pods_avoid_gpu_nodes() {
      assertThat(extender.prioritize(cluster().state(), asks(stranger(), "gpu-1", "cpu-1", "new")))
          .containsExactly("cpu-1", "new");
    }

    @Test
    void unmanaged_pod_with_gpus_avoids_no_node() {
      var pod = PodJson.pod("ml", "w", "u", "volcano", List.of(), true);
      assertThat(extender.prioritize(cluster().state(), asks(pod, "gpu-1", "cpu-1"))).isEmpty();
    }

    @Test
    void new_gpu_node_is_recognised() {
      ServerImages image = cluster();
      assertThat(extender.prioritize(image.state(), asks(stranger(), "new")))
          .containsExactly("new");
      assertThat(extender.prioritize(image.node("new", 8).state(), asks(stranger(), "new")))
          .isEmpty();
    }
  }

  @Nested
  class Preempt {
    private final Candidate stops = new Candidate("gpu-1", List.of("uid-x", "uid-w0"), 0);
    private final Candidate harmless = new Candidate("gpu-2", List.of("uid-y"), 2);
    private final Candidate empty = new Candidate("gpu-3", List.of(), 0);

    private Mode mode = Mode.ENFORCE;
    private Queues queues = Queues.NONE;

    private List<Candidate> kept(ServerImages image, ExtenderPod pod) {
      return kept(image, pod, stops);
    }

    private List<Candidate> kept(ServerImages image, ExtenderPod pod, Candidate first) {
      Policies policies =
          Policies.of(queues, Duration.ofMinutes(2), Optional.empty())
              .with(new PriorityPreemptionPolicy(mode));
      List<Candidate> all = List.of(first, harmless, empty);
      return extender.preempt(
          image.state(), policies, new PreemptionArgs(Optional.of(pod), all, KeyCasing.GO));
    }

    private ExtenderPod shop(int priority) {
      return shop("web", priority);
    }

    private ExtenderPod shop(String namespace, int priority) {
      var standing = new ExtenderPod.Standing(priority, new TreeMap<>(), "2026-11-21T11:00:00Z");
      return new ExtenderPod(
          namespace, "shop", "uid-shop", "default-scheduler", List.of(), false, standing);
    }

    @Test
    void kube_scheduler_never_preempts_for_managed_pods() {
      assertThat(kept(cluster(), ofTrain("w9"))).isEmpty();
      assertThat(kept(cluster(), alone("p"))).isEmpty();
    }

    @Test
    void no_single_member_of_a_running_gang_is_preempted() {
      ServerImages image = cluster().train(2).bound("w0", "gpu-1").bound("w1", "gpu-2");
      assertThat(kept(image, shop(1))).containsExactly(harmless, empty);
    }

    @Test
    void policy_decides_on_a_gang_of_one() {
      ServerImages image = cluster().train(1).bound("w0", "gpu-1");
      assertThat(kept(image, shop(1))).containsExactly(stops, harmless, empty);
      assertThat(kept(image, shop(0))).containsExactly(harmless, empty);
    }

    @Test
    void pod_in_a_namespace_named_like_a_queue_takes_nothing_from_its_guarantee() {
      ServerImages image = cluster().train(1).bound("w0", "gpu-1");
      queues = Queues.of(List.of(Queue.of("research").guaranteed(Quota.of(64))));
      assertThat(kept(image, shop("research", 1))).containsExactly(harmless, empty);
    }

    @Test
    void no_pod_is_preempted_unless_the_policy_is_enforced() {
      ServerImages image = cluster().train(1).bound("w0", "gpu-1");
      mode = Mode.SHADOW;
      assertThat(kept(image, shop(1))).containsExactly(harmless, empty);
      mode = Mode.OFF;
      assertThat(kept(image, shop(1))).containsExactly(harmless, empty);
    }

    @Test
    void no_disruption_budget_is_violated() {
      Candidate breaks = new Candidate("gpu-1", List.of("uid-x", "uid-w0"), 1);
      assertThat(kept(cluster().train(1).bound("w0", "gpu-1"), shop(1), breaks))
          .containsExactly(harmless, empty);
    }

    @Test
    void member_about_to_be_bound_is_not_preempted() {
      ServerImages image = cluster().train(1).waiting("w0").promised("w0", "gpu-1");
      for (Optional<NodeId> nominated :
          List.of(Optional.of(new NodeId("gpu-1")), Optional.<NodeId>empty())) {
        MemberState ungated = new MemberState.Waiting(nominated, false);
        assertThat(kept(image.member(ServerImages.TRAIN, "w0", ungated), shop(1)))
            .containsExactly(harmless, empty);
      }
    }

    @Test
    void terminating_member_is_not_protected() {
      MemberState leaving = new MemberState.Leaving(Optional.of(new NodeId("gpu-1")));
      assertThat(kept(cluster().train(2).member(ServerImages.TRAIN, "w0", leaving), stranger()))
          .contains(stops);
    }
  }
}
