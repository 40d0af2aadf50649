package dev.muster.server.kube.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.muster.core.gang.MemberId;
import dev.muster.policy.config.PodHold;
import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.ObjectRef;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The start switch is chosen only where it is known to work.
class HoldChoiceTest {
  private static final MemberId POD = new MemberId("ml", "train-0", "u0");
  private static final MemberId OTHER = new MemberId("ml", "train-1", "u1");
  private static final ObjectRef OWNER = new ObjectRef("x/v1", "PodGroup", "ml", "train", "g1");
  private static final String NAME = "train.p0.gang.muster.dev";

  private final ScriptedApi server = new ScriptedApi();
  private final KubernetesClient client = server.client();
  private Optional<String> served = Optional.of(HoldChoice.TESTED);
  private List<GenericKubernetesResource> switches = List.of();
  private Instant now = Instant.parse("2026-11-01T10:00:00Z");
  private boolean small = true;
  private Set<String> namespaces = Set.of("default", "ml");
  private final InstantSource clock = () -> now;
  private final SwitchWriter writer = new SwitchWriter(new ApiCalls(client), Groups::new, clock);

  private final class Groups implements NativeGroups {
    @Override
    public Optional<String> served() {
      return served;
    }

    @Override
    public Optional<SeenSwitch> find(String key) {
      return switches().stream().filter(on -> key.equals("ml/" + on.object().name())).findFirst();
    }

    @Override
    public List<SeenSwitch> switches() {
      return switches.stream().map(SeenSwitch::of).toList();
    }
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private HoldChoice choice(PodHold configured, boolean oneScheduler) {
    return new HoldChoice(
        configured,
        writer,
        new HoldChoice.Facts(
            oneScheduler,
            () -> small,
            Groups::new,
            _ -> Optional.of(NAME),
            name -> namespaces.contains(name),
            clock));
  }

  private HoldChoice checked() {
    HoldChoice choice = choice(PodHold.AUTO, true);
    choice.check();
    return choice;
  }

  @Test
  void auto_takes_the_switch_once_a_dry_run_succeeded() {
    HoldChoice choice = choice(PodHold.AUTO, true);
    assertThat(choice.inForce()).isEqualTo(PodHold.GATE);

    choice.check();

    assertThat(choice.inForce()).isEqualTo(PodHold.NATIVE);
    assertThat(server.queries()).containsExactly("dryRun=All");
  }

  @Test
  void auto_keeps_gates_where_the_role_forbids_switches_until_it_permits_them() {
    server.answers(_ -> Reply.refused(403, "podgroups is forbidden"));
    HoldChoice choice = checked();
    assertThat(choice.inForce()).isEqualTo(PodHold.GATE);

    server.answers(_ -> new Reply(201, "{}"));
    choice.check();

    assertThat(choice.inForce()).isEqualTo(PodHold.NATIVE);
  }

  @Test
  void auto_returns_to_gates_when_a_switch_is_refused() {
    HoldChoice choice = checked();
    server.answers(_ -> Reply.refused(403, "podgroups is forbidden"));
    ApiCalls.Answer answer = writer.on("ml", NAME, OWNER);
    choice.check();

    assertThat(answer.isGood()).isFalse();
    assertThat(choice.inForce()).isEqualTo(PodHold.GATE);
  }

  @Test
  void auto_keeps_gates_in_a_version_that_was_not_tested() {
    served = Optional.of("scheduling.k8s.io/v1beta1");

    assertThat(checked().inForce()).isEqualTo(PodHold.GATE);
    assertThat(server.calls).isEmpty();
  }

  @Test
  void auto_returns_to_gates_when_the_api_is_removed() {
    HoldChoice choice = checked();
    served = Optional.empty();

    assertThat(choice.inForce()).isEqualTo(PodHold.GATE);
  }

  @Test
  void existing_pod_group_of_the_tested_name_is_no_refusal() {
    server.answers(_ -> Reply.refused(409, "already exists"));

    assertThat(checked().inForce()).isEqualTo(PodHold.NATIVE);
  }

  @Test
  void first_pod_of_a_namespace_gets_a_gate_and_causes_a_dry_run_there() {
    HoldChoice choice = checked();
    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
    choice.check();

    assertThat(choice.inForce("ml")).isEqualTo(PodHold.NATIVE);
    assertThat(server.calls).last().matches(call -> call.path().contains("/namespaces/ml/"));
  }

  @Test
  void texts_that_name_no_namespace_cause_no_call_and_delay_no_namespace() {
    HoldChoice choice = checked();
    for (int i = 0; i < 1000; i++) {
      assertThat(choice.inForce("victim/podgroups?x=" + i)).isEqualTo(PodHold.GATE);
    }
    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
    choice.check();

    assertThat(choice.inForce("ml")).isEqualTo(PodHold.NATIVE);
    assertThat(server.calls)
        .extracting(ScriptedApi.Call::path)
        .noneMatch(p -> p.contains("victim"));
  }

  @Test
  void namespace_whose_test_fails_by_a_fault_is_tested_once() {
    namespaces = Set.of("default", "ml", "a b");
    HoldChoice choice = checked();
    assertThat(choice.inForce("a b")).isEqualTo(PodHold.GATE);

    assertThatIllegalArgumentException().isThrownBy(choice::check);
    choice.check();
  }

  @Test
  void deleted_namespace_is_tested_again_when_it_returns() {
    HoldChoice choice = checked();
    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
    choice.check();
    assertThat(choice.inForce("ml")).isEqualTo(PodHold.NATIVE);
    namespaces = Set.of("default");
    choice.check();
    namespaces = Set.of("default", "ml");

    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"victim/podgroups?x=", "ml#", "..", "a%2Fb", "a b", ""})
  void writer_sends_no_call_whose_path_a_name_alters(String namespace) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> writer.test(HoldChoice.TESTED, namespace));
    assertThatIllegalArgumentException().isThrownBy(() -> writer.on(namespace, NAME, OWNER));
    assertThat(server.calls).isEmpty();
  }

  @Test
  void namespace_that_forbids_switches_keeps_gates_alone() {
    HoldChoice choice = checked();
    server.answers(
        call -> call.path().contains("/ml/") ? Reply.refused(403, "quota") : new Reply(201, "{}"));
    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
    choice.check();

    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
    assertThat(choice.inForce("default")).isEqualTo(PodHold.NATIVE);
  }

  @Test
  void refused_switch_means_gates_in_its_namespace_though_a_dry_run_succeeds() {
    HoldChoice choice = checked();
    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
    choice.check();
    server.answers(_ -> Reply.refused(403, "quota"));
    writer.on("ml", NAME, OWNER);
    server.answers(_ -> new Reply(201, "{}"));
    choice.check();

    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
    choice.check();
    assertThat(choice.inForce("ml")).isEqualTo(PodHold.GATE);
    assertThat(choice.inForce("default")).isEqualTo(PodHold.NATIVE);
    assertThat(choice(PodHold.NATIVE, true).inForce("ml")).isEqualTo(PodHold.GATE);
  }

  @Test
  void auto_takes_gates_in_a_large_cluster() {
    HoldChoice choice = checked();
    small = false;

    assertThat(choice.inForce()).isEqualTo(PodHold.GATE);
    assertThat(choice(PodHold.NATIVE, true).inForce()).isEqualTo(PodHold.NATIVE);
  }

  @Test
  void auto_returns_to_gates_when_kube_scheduler_asks_about_pods_whose_switch_is_off() {
    HoldChoice choice = checked();
    choice.asked(POD, now);
    assertThat(choice.inForce()).isEqualTo(PodHold.NATIVE);
    choice.asked(OTHER, now);
    choice.check();

    assertThat(choice.inForce()).isEqualTo(PodHold.GATE);
  }

  @Test
  void auto_tries_the_switch_again_later_and_later() {
    HoldChoice choice = checked();
    for (int minutes : new int[] {10, 20, 40}) {
      choice.asked(POD, now);
      choice.asked(OTHER, now);
      now = now.plusSeconds(minutes * 60L - 1);
      assertThat(choice.inForce()).isEqualTo(PodHold.GATE);
      now = now.plusSeconds(1);
      assertThat(choice.inForce()).isEqualTo(PodHold.NATIVE);
    }
  }

  @Test
  void questions_about_pods_from_before_the_start_and_far_apart_change_nothing() {
    HoldChoice choice = checked();
    choice.asked(POD, now.minusSeconds(1));
    choice.asked(OTHER, now.minusSeconds(1));
    choice.asked(POD, now);
    now = now.plus(HoldChoice.DISTRUST).plusSeconds(1);
    choice.asked(OTHER, now);

    assertThat(choice.inForce()).isEqualTo(PodHold.NATIVE);
  }

  @Test
  void questions_about_pods_whose_switch_is_on_change_nothing() {
    HoldChoice choice = checked();
    switches = List.of(group());
    choice.asked(POD, now);
    choice.asked(OTHER, now);

    assertThat(choice.inForce()).isEqualTo(PodHold.NATIVE);
  }

  @Test
  void questions_just_after_the_switch_was_turned_off_change_nothing() {
    HoldChoice choice = checked();
    switches = List.of(group());
    writer.off(SeenSwitch.of(group()));
    choice.asked(POD, now);
    choice.asked(OTHER, now);

    assertThat(choice.inForce()).isEqualTo(PodHold.NATIVE);
  }

  @Test
  void pods_of_two_schedulers_get_gates() {
    HoldChoice auto = choice(PodHold.AUTO, false);
    auto.check();

    assertThat(auto.inForce()).isEqualTo(PodHold.GATE);
    assertThat(choice(PodHold.NATIVE, false).inForce()).isEqualTo(PodHold.GATE);
  }

  @Test
  void explicit_choice_is_kept_where_it_is_possible() {
    assertThat(choice(PodHold.NATIVE, true).inForce()).isEqualTo(PodHold.NATIVE);
    assertThat(choice(PodHold.GATE, true).inForce()).isEqualTo(PodHold.GATE);
    assertThat(choice(PodHold.FILTER, true).inForce()).isEqualTo(PodHold.FILTER);
    served = Optional.empty();
    assertThat(choice(PodHold.NATIVE, true).inForce()).isEqualTo(PodHold.GATE);
  }

  private static GenericKubernetesResource group() {
    return Yaml.group(
        """
        apiVersion: scheduling.k8s.io/v1alpha2
        kind: PodGroup
        metadata: {namespace: ml, name: train.p0.gang.muster.dev, uid: s1, creationTimestamp: "2026-11-01T09:00:00Z"}
        """);
  }
}
