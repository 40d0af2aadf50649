package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.core.topology.TopologyPreset;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.event.Level;

class ConfigurationLoaderTest {

  private static final Path SAMPLE = Path.of("..", "deploy", "config", "muster.yaml");
  private static final String HEADER =
      "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\n";

  @Test
  void sample_file_states_the_defaults() {
    assertThat(value(ConfigurationLoader.load(SAMPLE))).isEqualTo(MusterConfiguration.defaults());
  }

  @Test
  void defaults_are_safe() {
    MusterConfiguration defaults = MusterConfiguration.defaults();

    assertThat(defaults.server().host()).isEqualTo("0.0.0.0");
    assertThat(defaults.server().port()).isEqualTo(8888);
    assertThat(defaults.server().maxBody().bytes()).isEqualTo(16 * 1024 * 1024);
    assertThat(defaults.server().tls()).isEmpty();
    assertThat(defaults.accelerators()).containsExactly("nvidia.com/gpu");
    assertThat(defaults.schedulerNames()).containsExactly("default-scheduler");
    assertThat(defaults.topology().preset()).contains(TopologyPreset.UPSTREAM);
    assertThat(defaults.topology().levels())
        .extracting(TopologyLevel::name)
        .containsExactly("region", "zone");
    assertThat(defaults.gangs())
        .isEqualTo(new GangFields(Duration.ZERO, Duration.ofMinutes(2), Duration.ofMinutes(10)));
    assertThat(defaults.backfill().backfill()).isEqualTo(BackfillSettings.DEFAULT);
    assertThat(defaults.gangs().gathersForEver()).isTrue();
    assertThat(defaults.gating()).isEqualTo(new GatingFields(true, true));
    assertThat(defaults.health().faultConditions()).hasSize(23).contains("SysLogsXIDError");
    assertThat(defaults.resync()).isEqualTo(Duration.ofMinutes(10));
    assertThat(defaults.journalFile()).isEmpty();
    assertThat(defaults.logLevel()).isEqualTo(Level.INFO);
  }

  @Test
  void file_overrides_the_defaults() {
    MusterConfiguration set =
        value(
            load(
                """
                server:
                  host: 127.0.0.1
                  port: 0
                  maxBody: 512Ki
                  tls: {certFile: a.crt, keyFile: a.key}
                accelerators: [nvidia.com/gpu, amd.com/gpu]
                schedulerNames: [muster]
                topology:
                  levels:
                    - {name: block, label: example.com/block, bandwidth: 400Gbps}
                    - {name: nvlink, label: nvidia.com/gpu.clique, bandwidth: 1.8TBps}
                    - {name: rack, label: rack}
                gangs: {gatherTimeout: 1h30m, repairTimeout: 3m}
                backfill: {depth: 2, drainAfter: 0s}
                gating: {hideGpus: false}
                health: {faultConditions: []}
                resync: 45s
                journal: /var/log/muster.jsonl
                logLevel: debug
                """));

    assertThat(set.server())
        .hasToString(
            "ServerFields[host=127.0.0.1, port=0, maxBody=512Ki, "
                + "tls=Optional[Tls[certFile=a.crt, keyFile=a.key, port=8443]]]");
    assertThat(set.accelerators()).containsExactly("nvidia.com/gpu", "amd.com/gpu");
    assertThat(set.topology().levels())
        .containsExactly(
            new TopologyLevel("block", "example.com/block"),
            new TopologyLevel("nvlink", "nvidia.com/gpu.clique"),
            new TopologyLevel("rack", "rack"));
    assertThat(set.backfill().backfill()).isEqualTo(new BackfillSettings(2, Duration.ZERO));
    assertThat(set.topology().listed())
        .extracting(TopologyFields.Level::megabitsPerSecond)
        .containsExactly(
            OptionalLong.of(400_000), OptionalLong.of(14_400_000), OptionalLong.empty());
    assertThat(set.gangs())
        .isEqualTo(
            new GangFields(Duration.ofMinutes(90), Duration.ofMinutes(2), Duration.ofMinutes(3)));
    assertThat(set.gating()).isEqualTo(new GatingFields(true, false));
    assertThat(set.health().faultConditions()).isEmpty();
    assertThat(set.resync()).isEqualTo(Duration.ofSeconds(45));
    assertThat(set.journalFile()).contains(Path.of("/var/log/muster.jsonl"));
    assertThat(set.logLevel()).isEqualTo(Level.DEBUG);
  }

  @Test
  void all_mistakes_are_reported_at_once_with_their_places() {
    assertThat(
            render(
                load(
                    """
                    server:
                      prot: 8888
                      maxBody: 16MB
                      tls: {certFile: a.crt}
                    accelerators: nvidia.com/gpu
                    topology:
                      preset: gek
                    gangs:
                      bindTimeout: 0s
                      gatherTimeout: 30
                    resync: soon
                    logLevel: loud
                    bindTimeout: 5m
                    """)))
        .isEqualTo(
            """
            muster.yaml:4:3: server.prot: unknown field. Did you mean `port`?
            muster.yaml:5:12: server.maxBody: "16MB" is not a size. Write it like 16Mi or 512Ki.
            muster.yaml:6:8: server.tls.keyFile: is missing. TLS needs both certFile and keyFile.
            muster.yaml:7:15: accelerators: "nvidia.com/gpu" must be a list. Did you mean [nvidia.com/gpu]?
            muster.yaml:9:11: topology.preset: "gek" is not known. Did you mean "gke"?
            muster.yaml:11:16: gangs.bindTimeout: "0s" must be longer than zero. Write it like 30m, 1h30m or 45s.
            muster.yaml:12:18: gangs.gatherTimeout: 30 must be text. Write it like 30m, 1h30m or 45s.
            muster.yaml:13:9: resync: "soon" is not a duration. Write it like 30m, 1h30m or 45s.
            muster.yaml:14:11: logLevel: "loud" is not known. Allowed: trace, debug, info, warn, error.
            muster.yaml:15:1: bindTimeout: unknown field here. Did you mean `gangs.bindTimeout`?\
            """);
  }

  @Test
  void preset_and_levels_exclude_each_other() {
    assertThat(
            render(
                load(
                    """
                    topology:
                      preset: gke
                      levels: [{name: node, label: x}]
                    """)))
        .isEqualTo(
            """
            muster.yaml:3:1: topology: preset and levels exclude each other.
            muster.yaml:5:19: topology.levels[0].name: "node" is not well formed. \
            Write a word in small letters like rack; node is taken by the node itself.\
            """);
  }

  @Test
  void levels_with_the_same_label_are_refused() {
    assertThat(
            render(
                load(
                    """
                    topology:
                      levels:
                        - {name: block, label: example.com/rack}
                        - {name: rack, label: example.com/rack}
                    """)))
        .isEqualTo(
            "muster.yaml:3:1: topology: the label \"example.com/rack\" is used by two levels.");
  }

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

  /// Each would count its GPUs once more.
  @Test
  void an_accelerator_is_listed_once() {
    assertThat(render(load("accelerators: [nvidia.com/gpu, amd.com/gpu, nvidia.com/gpu]\n")))
        .isEqualTo("muster.yaml:3:45: accelerators[2]: \"nvidia.com/gpu\" is listed twice.");
  }

  @Test
  void names_are_validated_to_their_last_character() {
    assertThat(render(load("schedulerNames: [\"muster\\n\"]\naccelerators: [gpu]\n")))
        .isEqualTo(
            """
            muster.yaml:3:18: schedulerNames[0]: "muster " is not well formed. \
            Write a scheduler's name like default-scheduler.
            muster.yaml:4:16: accelerators[0]: "gpu" is not well formed. \
            Write an extended resource like nvidia.com/gpu.\
            """);
  }

  @Test
  void paths_and_hosts_must_be_usable() {
    assertThat(
            render(
                load(
                    """
                    server: {host: "", tls: {certFile: "", keyFile: k}}
                    journal: "a\\0b"
                    """)))
        .isEqualTo(
            """
            muster.yaml:3:16: server.host: "" is not well formed. 0.0.0.0 binds all addresses.
            muster.yaml:3:36: server.tls.certFile: "" is not well formed. \
            Write the path of a file like /etc/muster/tls/tls.crt.
            muster.yaml:4:10: journal: "a b" is not well formed. \
            Write the path of a file like /var/log/muster/journal.jsonl.\
            """);
  }

  @Test
  void lists_have_bounds() {
    StringBuilder levels = new StringBuilder("accelerators: []\ntopology:\n  levels:\n");
    for (int i = 0; i < 17; i++) {
      levels.append("    - {name: l%d, label: example.com/l%d}\n".formatted(i, i));
    }
    assertThat(render(load(levels.toString())))
        .isEqualTo(
            """
            muster.yaml:3:15: accelerators: the list is too short: at least 1 needed.
            muster.yaml:5:3: topology.levels: the list is too long: at most 16 allowed.\
            """);
  }

  @Test
  void journal_and_ledger_files_must_differ() {
    assertThat(render(load("journal: /var/log/m.jsonl\npreemption: {ledger: /var/log/m.jsonl}\n")))
        .contains("journal and preemption.ledger are both /var/log/m.jsonl");
  }

  @ParameterizedTest
  @CsvSource({"/x/m, /x/m.1", "/x/m.3, /x/m", "/x/m, /x/../x/m.new"})
  void rotated_files_do_not_overwrite_each_other(String journal, String ledger) {
    assertThat(render(load("journal: %s\npreemption: {ledger: %s}\n".formatted(journal, ledger))))
        .contains("rotation of one would overwrite the other");
  }

  @Test
  void ports_must_differ() {
    assertThat(render(load("server:\n  tls: {certFile: c, keyFile: k, port: 8888}\n")))
        .isEqualTo("muster.yaml:3:1: server: port and tls.port are both 8888.");
  }

  @ParameterizedTest
  @EnumSource
  void every_preset_can_be_configured(TopologyPreset preset) {
    TopologyFields topology = value(load("topology: {preset: " + preset.key() + "}\n")).topology();

    assertThat(topology.preset()).contains(preset);
    assertThat(topology.levels()).isEqualTo(preset.levels());
  }

  @Test
  void the_schema_knows_every_preset() throws IOException {
    List<String> keys = Arrays.stream(TopologyPreset.values()).map(TopologyPreset::key).toList();

    assertThat(schema().at("/properties/topology/properties/preset/enum").valueStream())
        .extracting(JsonNode::asText)
        .containsExactlyElementsOf(keys);
  }

  @Test
  void every_field_in_the_published_schema_is_described() throws IOException {
    List<String> undescribed = new ArrayList<>();
    collectUndescribed(schema(), "", undescribed);

    assertThat(undescribed).isEmpty();
  }

  private static void collectUndescribed(JsonNode schema, String path, List<String> found) {
    if (schema.path("description").asText().isBlank()) {
      found.add(path);
    }
    schema
        .path("properties")
        .properties()
        .forEach(field -> collectUndescribed(field.getValue(), path + "/" + field.getKey(), found));
    if (schema.has("items")) {
      collectUndescribed(schema.path("items"), path + "/items", found);
    }
  }

  private static JsonNode schema() throws IOException {
    try (InputStream in =
        MusterConfiguration.class.getResourceAsStream("muster-configuration-v1.schema.json")) {
      return new ObjectMapper().readTree(Objects.requireNonNull(in));
    }
  }

  private static Loaded<MusterConfiguration> load(String body) {
    return ConfigurationLoader.load(
        "muster.yaml", (HEADER + body).getBytes(StandardCharsets.UTF_8));
  }

  private static MusterConfiguration value(Loaded<MusterConfiguration> loaded) {
    return switch (loaded) {
      case Loaded.Valid<MusterConfiguration>(MusterConfiguration value, String _) -> value;
      case Loaded.Invalid<MusterConfiguration> invalid ->
          throw new AssertionError(invalid.render());
    };
  }

  private static String render(Loaded<MusterConfiguration> loaded) {
    return switch (loaded) {
      case Loaded.Valid<MusterConfiguration> valid -> throw new AssertionError(valid.toString());
      case Loaded.Invalid<MusterConfiguration>(List<FileProblem> problems) ->
          new Loaded.Invalid<>(problems).render();
    };
  }
}
