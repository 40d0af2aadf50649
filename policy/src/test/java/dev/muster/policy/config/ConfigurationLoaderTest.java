package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.core.topology.TopologyPreset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

class ConfigurationLoaderTest extends ConfigurationFiles {
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
        .isEqualTo(
            new GangFields(
                Duration.ZERO, Duration.ofMinutes(2), Duration.ofMinutes(10), PodHold.AUTO));
    assertThat(defaults.backfill().backfill()).isEqualTo(BackfillSettings.DEFAULT);
    assertThat(defaults.gangs().gathersForEver()).isTrue();
    assertThat(defaults.gating())
        .isEqualTo(new GatingFields(true, true, GatingFields.OwnVisibleDevices.OVERWRITE));
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
                  tls: {certFile: a.crt, keyFile: a.key, clientAuthority: ca.crt}
                  apiAccess: Open
                accelerators: [nvidia.com/gpu, amd.com/gpu]
                schedulerNames: [muster]
                topology:
                  levels:
                    - {name: block, label: example.com/block, bandwidth: 400Gbps}
                    - {name: nvlink, label: nvidia.com/gpu.clique, bandwidth: 1.8TBps}
                    - {name: rack, label: rack}
                gangs: {gatherTimeout: 1h30m, repairTimeout: 3m}
                backfill: {depth: 2, drainAfter: 0s}
                gating: {hideGpus: false, ownVisibleDevices: Refuse}
                health: {faultConditions: []}
                resync: 45s
                journal: /var/log/muster.jsonl
                logLevel: debug
                """));

    assertThat(set.server())
        .hasToString(
            "ServerFields[host=127.0.0.1, port=0, maxBody=512Ki, "
                + "tls=Optional[Tls[certFile=a.crt, keyFile=a.key, port=8443, "
                + "clientAuthority=Optional[ca.crt]]], probePort=8889, apiAccess=OPEN]");
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
            new GangFields(
                Duration.ofMinutes(90),
                Duration.ofMinutes(2),
                Duration.ofMinutes(3),
                PodHold.AUTO));
    assertThat(set.gating())
        .isEqualTo(new GatingFields(true, false, GatingFields.OwnVisibleDevices.REFUSE));
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

  /// Each would count its GPUs once more.
  @Test
  void accelerator_is_listed_once() {
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server: {tls: {keyFile: k, certFile: PATH}}",
        "server: {tls: {certFile: c, keyFile: PATH}}",
        "server: {tls: {certFile: c, keyFile: k, clientAuthority: PATH}}",
        "usage: {store: PATH}",
        "preemption: {policy: PATH}",
        "preemption: {plugins: PATH}",
        "preemption: {ledger: PATH}",
        "journal: PATH"
      })
  void paths_have_characters_that_paths_can_have(String line) {
    assertThat(render(load(line.replace("PATH", "\"/tmp/\\ud800\"") + "\n")))
        .startsWith("muster.yaml:3:" + (line.indexOf("PATH") + 1) + ": ")
        .contains("has a character that no path has in");
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

  @ParameterizedTest
  @CsvSource({
    "journal, preemption.ledger",
    "journal, usage.store",
    "preemption.ledger, usage.store",
  })
  void files_of_records_must_differ(String one, String other) {
    assertThat(render(load(field(one, "/var/log/m.jsonl") + field(other, "/var/log/m.jsonl"))))
        .contains("%s and %s are both /var/log/m.jsonl".formatted(one, other));
  }

  /// Returns the line that sets a field.
  private static String field(String name, String value) {
    String[] names = name.split("\\.", 2);
    return names.length == 1
        ? "%s: %s\n".formatted(name, value)
        : "%s: {%s: %s}\n".formatted(names[0], names[1], value);
  }

  @ParameterizedTest
  @CsvSource({
    "journal, /x/m, preemption.ledger, /x/m.1",
    "journal, /x/m.3, preemption.ledger, /x/m",
    "journal, /x/m, preemption.ledger, /x/../x/m.new",
    "journal, /x/m, usage.store, /x/m.1",
    "preemption.ledger, /x/m, usage.store, /x/m.new",
  })
  void rotated_files_do_not_overwrite_each_other(
      String one, String file, String other, String otherFile) {
    assertThat(render(load(field(one, file) + field(other, otherFile))))
        .contains("rotation of one would overwrite the other");
  }

  @Test
  void ports_must_differ() {
    assertThat(render(load("server:\n  tls: {certFile: c, keyFile: k, port: 8888}\n")))
        .isEqualTo("muster.yaml:3:1: server: port and tls.port are both 8888.");
    assertThat(render(load("server:\n  probePort: 8888\n")))
        .isEqualTo("muster.yaml:3:1: server: probePort is 8888, and so is port or tls.port.");
  }
}
