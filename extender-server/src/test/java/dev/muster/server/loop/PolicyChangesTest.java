package dev.muster.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PolicyChangesTest {
  private final Mailbox mailbox = new Mailbox(10);
  private final PolicyChanges changes = new PolicyChanges(mailbox);
  private Engine engine = new Engine(Policies.DEFAULT);

  private static PreemptionPolicy policy(String mode) {
    String text = "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\nmode: " + mode;
    SequencedMap<String, byte[]> files = new TreeMap<>();
    files.put("policy.yaml", text.getBytes(StandardCharsets.UTF_8));
    return new PolicyLoader(Plugins.NONE, _ -> {})
        .load(new PolicySources(files, List.of()))
        .orThrow(IllegalStateException::new);
  }

  private String revisionOfTheNextTurn() throws InterruptedException {
    Event event = mailbox.next().orElseThrow();
    engine = changes.next(engine, event);
    return event instanceof Event.PolicyChanged(_, String revision) ? revision : "";
  }

  @Test
  void each_of_two_queued_policy_changes_is_used_in_its_own_step() throws InterruptedException {
    PreemptionPolicy first = policy("Shadow");
    PreemptionPolicy second = policy("Enforce");
    changes.put(Instant.EPOCH, first);
    changes.put(Instant.EPOCH, second);

    assertThat(revisionOfTheNextTurn()).isEqualTo(first.revision());
    assertThat(engine.policies().preemption()).isEqualTo(first);
    assertThat(revisionOfTheNextTurn()).isEqualTo(second.revision());
    assertThat(engine.policies().preemption()).isEqualTo(second);
  }

  @Test
  void other_events_keep_the_engine() throws InterruptedException {
    changes.put(Instant.EPOCH, policy("Shadow"));

    assertThat(changes.next(engine, new Event.Tick(Instant.EPOCH))).isEqualTo(engine);
    assertThat(revisionOfTheNextTurn()).isNotEmpty();
  }
}
