package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Queues are read in full, and all their mistakes are reported.
class QueueConfigurationTest extends ConfigurationFiles {
  @Test
  void queues_are_read_in_full() {
    MusterConfiguration set =
        value(
            load(
                """
                queues:
                  - name: research
                    weight: 2
                    namespaces: [ml, nlp]
                    maxPriority: -5
                    guaranteed: {gpus: 64, models: {H100: 32}}
                    maximum: {models: {H100: 64, A100 80GB: 8}}
                  - name: rest
                usageHalfLife: 36h
                """));

    Queue research =
        Queue.of("research")
            .weighing(2)
            .taking(List.of("ml", "nlp"))
            .upTo(-5)
            .guaranteed(Quota.of(64).with("H100", 32))
            .most(Quota.NONE.with("H100", 64).with("A100 80GB", 8));
    assertThat(set.shares())
        .isEqualTo(Queues.of(List.of(research, Queue.of("rest")), Duration.ofHours(36)));
    assertThat(MusterConfiguration.defaults().shares()).isEqualTo(Queues.NONE);
  }

  @Test
  void all_mistakes_of_queues_are_reported_at_once() {
    assertThat(
            render(
                load(
                    """
                    queues:
                      - {name: a, weight: 0, colour: red}
                      - {name: "-b", namespaces: [ML], guaranteed: {gpus: -1}}
                      - {name: a, guaranteed: {gpus: 9}, maximum: {gpus: 8}}
                      - name: c
                        guaranteed: {gpus: 4, models: {H100: 3, A100: 5}}
                        maximum: {gpus: 4, models: {H100: 2}}
                      - {weight: 2}
                      - {name: d, maximum: {models: {"H100!": 1}}}
                    usageHalfLife: 10s
                    """)))
        .isEqualTo(
            """
            muster.yaml:4:23: queues[0].weight: 0 is too small: at least 1.
            muster.yaml:4:26: queues[0].colour: unknown field. \
            Known here: name, weight, namespaces, maxPriority, guaranteed, maximum.
            muster.yaml:5:12: queues[1].name: "-b" is not well formed. \
            Write the value of a label like research, at most 63 letters, digits, hyphens, underscores and dots.
            muster.yaml:5:31: queues[1].namespaces[0]: "ML" is not well formed. \
            Write the name of a namespace like ml-team.
            muster.yaml:5:55: queues[1].guaranteed.gpus: -1 is too small: at least 0.
            muster.yaml:6:12: queues[2].name: "a" is already the name of queues[0].
            muster.yaml:6:34: queues[2].guaranteed.gpus: 9 is more than maximum.gpus (8).
            muster.yaml:8:42: queues[3].guaranteed.models.H100: 3 is more than maximum.models.H100 (2).
            muster.yaml:8:51: queues[3].guaranteed.models.A100: 5 is more than maximum.gpus (4).
            muster.yaml:10:5: queues[4].name: is missing. A queue looks like {name: research, weight: 2}.
            muster.yaml:11:34: queues[5].maximum.models["H100!"]: this name is not well formed. \
            Write a GPU model like H100 or NVIDIA-H100-80GB-HBM3.
            muster.yaml:12:16: usageHalfLife: "10s" is out of range: a half-life is from 64s to 3650d.\
            """);
  }
}
