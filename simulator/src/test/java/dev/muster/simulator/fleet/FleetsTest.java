package dev.muster.simulator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Node;
import dev.muster.simulator.file.MalformedFile;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Several formats of a fleet are recognised by their content.
final class FleetsTest {
  private static final String POOLS =
      """
      apiVersion: simulator.muster.dev/v1
      kind: Fleet
      levels:
        - {name: block, label: example.com/block}
        - {name: rack, label: example.com/rack}
      pools:
        - name: big
          count: 4
          gpus: 8
          model: H100
          cpu: 96
          memory: 1Ti
          nodesPer: {block: 4, rack: 2}
          pricePerHour: 12.5
        - name: cloud
          count: 1
          gpus: 4
          labels: {tier: spare}
          joinDelay: 5m
      """;

  @TempDir private Path folder;

  private Fleet fleet(String content) throws IOException {
    return Fleets.of(Files.writeString(folder.resolve("fleet"), content).toString());
  }

  private static String line(Node node) {
    return "%s %dx%s cpu %d memory %d %s"
        .formatted(
            node.id(),
            node.gpus(),
            node.model(),
            node.allocatable().get("cpu"),
            node.allocatable().get("memory") >> 20,
            node.labels().headMap("kubernetes.io"));
  }

  @Test
  void pools_in_yaml() throws IOException {
    Fleet fleet = fleet(POOLS);
    assertThat(fleet.nodes().stream().map(FleetsTest::line).skip(2).limit(1))
        .containsExactly(
            "big-00003 8xH100 cpu 96000 memory 1048576 {example.com/block=big-block-1, example.com/rack=big-rack-2}");
    assertThat(fleet.domains()).containsExactly(1, 2);
    assertThat(fleet.gpus()).isEqualTo(36);
  }

  @Test
  void pools_have_terms() throws IOException {
    Fleet fleet = fleet(POOLS);
    assertThat(fleet.terms(new NodeId("big-00001"))).isEqualTo(NodeTerms.ofPrice(12.5));
    assertThat(fleet.terms(new NodeId("cloud-00001")))
        .isEqualTo(new NodeTerms(0, Duration.ofMinutes(5), Duration.ofMinutes(10)));
    assertThat(fleet.terms(new NodeId("nobody"))).isEqualTo(NodeTerms.NONE);
  }

  @Test
  void mistakes_in_yaml_are_reported_together_with_their_places() {
    String wrong = POOLS.replace("count: 4", "cuont: 4").replace("1Ti", "plenty");
    assertThatThrownBy(() -> fleet(wrong))
        .hasMessageContaining(":8:5: pools[0].cuont: ")
        .hasMessageContaining("Did you mean `count`?")
        .hasMessageContaining(
            ":12:13: pools[0].memory: \"plenty\" is not an amount such as 64, 500m or 512Gi.");
  }

  @Test
  void pools_per_domain_of_an_unknown_level_are_refused() {
    assertThatThrownBy(() -> fleet(POOLS.replace("rack: 2", "row: 2")))
        .hasMessageMatching(
            "(?s).*:\\d+:\\d+: pools\\[0\\]\\.nodesPer\\.row: unknown level \"row\"; levels: .*rack.*");
  }

  @Test
  void permanent_nodes_do_not_leave() {
    assertThatThrownBy(() -> fleet(POOLS.replaceAll("joinDelay: \\w+", "leaveAfter: 10m")))
        .hasMessageMatching(
            "(?s).*:\\d+:\\d+: pools\\[\\d\\]\\.leaveAfter: applies to cloud nodes only.*");
  }

  @Test
  void pools_with_equal_names_are_refused() {
    assertThatThrownBy(() -> fleet(POOLS.replace("name: cloud", "name: big")))
        .hasMessageMatching(
            "(?s).*:\\d+:\\d+: pools\\[\\d\\]\\.name: duplicate name \"big\", already used by pools\\[0\\].*");
  }

  @ParameterizedTest
  @CsvSource({
    "name: rack, name: block, name \"block\"",
    "example.com/rack, example.com/block, label \"example.com/block\""
  })
  void levels_with_equal_names_or_labels_are_refused(String from, String to, String told) {
    assertThatThrownBy(() -> fleet(POOLS.replace(", rack: 2", "").replace(from, to)))
        .hasMessageMatching(
            "(?s).*:5:\\d+: levels\\[1\\]\\.\\w+: duplicate %s, already used by levels\\[0\\]\\."
                .formatted(told));
  }

  @Test
  void exported_fleet_with_equal_levels_is_refused() {
    String level = "{\"name\":\"rack\",\"label\":\"example.com/rack\"}";
    assertThatThrownBy(() ->
            fleet("{\"format\":\"muster-fleet/v1\",\"levels\":[%s,%s]}".formatted(level, level)))
        .hasMessageEndingWith("fleet:1:1: the name \"rack\" is used by two levels.");
  }

  @ParameterizedTest
  @CsvSource({
    "name: rack, name: A rack, levels[1].name: \"A rack\" is not well formed. Write a word in small letters like rack; node is taken by the node itself.",
    "name: rack, name: node, levels[1].name: \"node\" is not well formed. Write a word",
    "example.com/rack, a rack, levels[1].label: \"a rack\" is not well formed. Write the key of a node label like example.com/rack.",
    "tier: spare, a b: spare, pools[1].labels[\"a b\"]: this name is not well formed. Write the key of a node label like example.com/rack.",
    "tier: spare, tier: x y, pools[1].labels.tier: \"x y\" is not well formed. Write at most 63 letters"
  })
  void words_that_kubernetes_refuses_are_refused(String from, String to, String told) {
    assertThatThrownBy(() -> fleet(POOLS.replace(from, to))).hasMessageContaining(told);
  }

  @Test
  void unknown_presets_are_refused() {
    assertThatThrownBy(() ->
            fleet("apiVersion: simulator.muster.dev/v1\nkind: Fleet\npreset: gk\npools: []\n"))
        .hasMessageContaining(":3:9: preset: unknown preset \"gk\"; known: upstream, ")
        .hasMessageContaining("gke");
  }

  @Test
  void openb_nodes() throws IOException {
    Fleet fleet =
        fleet("sn,cpu_milli,memory_mib,gpu,model\nn-0,64000,2048,2,P100\nn-1,96000,512,0,\n");
    assertThat(fleet.nodes())
        .map(FleetsTest::line)
        .containsExactly(
            "n-0 2xP100 cpu 64000 memory 2048 {}", "n-1 0xunlabelled cpu 96000 memory 512 {}");
  }

  @Test
  void spot_nodes() throws IOException {
    Fleet fleet = fleet("gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,1,128,7\n");
    assertThat(fleet.nodes())
        .map(FleetsTest::line)
        .containsExactly("node-7 1xA10 cpu 128000 memory 67108864 {}");
  }

  @Test
  void tiresias_cluster_has_switches() throws IOException {
    Fleet fleet =
        fleet(
            "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n2,3,4,64,256\n");
    assertThat(fleet.nodes()).hasSize(6);
    assertThat(fleet.domains()).containsExactly(2);
    assertThat(fleet.gpus()).isEqualTo(24);
  }

  @Test
  void virtual_clusters_of_philly() throws IOException {
    Fleet fleet = fleet("vc,node num\nalpha,2\nbeta,1\n");
    assertThat(fleet.nodes())
        .map(node -> node.labels().get("vc"))
        .containsExactly("alpha", "alpha", "beta");
    assertThat(fleet.gpus()).isEqualTo(24);
  }

  @Test
  void malformed_row_is_refused() {
    assertThatThrownBy(() -> fleet("sn,cpu_milli,memory_mib,gpu,model\nn-0,64000,2048,some,P100\n"))
        .hasMessageContaining("fleet:2:16: gpu: \"some\" is not a number");
  }

  @Test
  void table_with_other_columns_is_refused(@TempDir Path other) throws IOException {
    Path nodes = Files.writeString(other.resolve("nodes.csv"), "name,gpus\nn-0,8\n");
    assertThatThrownBy(() -> Fleets.of(nodes.toString()))
        .hasMessageContaining("nodes.csv:1:1: the columns (name,gpus) match no known node list")
        .hasMessageContaining("node num,vc");
  }

  @Test
  void exported_fleet_is_read_back() throws IOException {
    Fleet fleet = fleet(POOLS);
    StringWriter text = new StringWriter();
    FleetLines.write(fleet, text);
    Fleet read = fleet(text.toString());
    assertThat(read.nodes()).isEqualTo(fleet.nodes());
    assertThat(read.topology()).isEqualTo(fleet.topology());
  }

  @Test
  void short_form_is_read() {
    assertThat(Fleets.of("2x8:V100").models()).isEqualTo(new TreeMap<>(Map.of("V100", 16)));
  }

  @Test
  void text_that_is_neither_short_form_nor_file_is_refused() {
    assertThatThrownBy(() -> Fleets.of("12x"))
        .hasMessage("12x: no such file, and not a short form such as 12x8 or 4x8:V100,2x4:P4.");
  }

  @Test
  void malformed_quantity_is_refused(@TempDir Path other) throws IOException {
    Path file = other.resolve("nodes.jsonl");
    Files.writeString(
        file,
        "{\"format\":\"muster-fleet/v1\",\"levels\":[]}\n{\"name\":\"n\",\"gpus\":8,\"allocatable\":{\"memory\":\"1Ti\"}}\n");
    assertThatThrownBy(() -> Fleets.of(file.toString()))
        .hasMessageContaining(":2:1: allocatable: memory: \"1Ti\" is not a whole number");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'taints':[{'key':'x','effect':'NoSchedule'}] | unknown taint effect \"NoSchedule\"; known: [NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE].",
        "'model':'A','model_kind':'half' | unknown model_kind \"half\"; known: [WHOLE,"
      })
  void unknown_field_in_nodes_of_a_live_cluster_is_refused(
      String field, String told, @TempDir Path folder) throws IOException {
    Path file = folder.resolve("nodes.jsonl");
    Files.writeString(
        file,
        "{\"format\":\"muster-fleet/v1\",\"levels\":[]}\n{\"name\":\"n\",\"gpus\":8,%s}\n"
            .formatted(field.replace('\'', '"')));
    assertThatThrownBy(() -> Fleets.of(file.toString())).hasMessageContaining(":2:1: " + told);
  }

  @Test
  void more_nodes_than_can_be_simulated_are_refused() {
    assertThatThrownBy(() -> fleet(POOLS.replace("count: 4", "count: 200000")))
        .hasMessageContaining("pools: more than 200000 nodes, the maximum.");
  }

  @Test
  void table_of_more_nodes_than_can_be_simulated_is_refused() {
    assertThatThrownBy(() -> fleet("vc,node num\nalpha,2147483647\n"))
        .hasMessageContaining("fleet:2:7: node num: 2147483647 exceeds ");
  }

  @Test
  void rows_of_more_nodes_together_than_can_be_simulated_are_refused() {
    assertThatThrownBy(() -> fleet("vc,node num\n" + "alpha,150000\n".repeat(1_000)))
        .hasMessageEndingWith("fleet:3:1: more than 200000 nodes, the maximum.");
  }

  @Test
  void lines_of_more_nodes_together_than_can_be_simulated_are_refused() {
    StringBuilder lines = new StringBuilder("{\"format\":\"muster-fleet/v1\"}\n");
    for (int i = 0; i <= FleetNotation.MOST_NODES; i++) {
      lines.append("{\"name\":\"n-").append(i).append("\",\"gpus\":8}\n");
    }
    assertThatThrownBy(() -> fleet(lines.toString()))
        .hasMessageEndingWith("fleet:200002:1: more than 200000 nodes, the maximum.");
  }

  @Test
  void line_of_a_node_with_more_gpus_than_can_be_counted_is_refused() {
    String line = "{\"name\":\"n\",\"gpus\":10000}\n";
    assertThatThrownBy(() -> fleet("{\"format\":\"muster-fleet/v1\"}\n" + line))
        .hasMessageEndingWith("fleet:2:13: gpus: 10000 exceeds 9999.");
  }

  @Test
  void two_fleets_of_more_nodes_together_than_can_be_simulated_are_refused() {
    Fleet fleet = FleetNotation.parse("150000x8").orElseThrow();
    Fleet more = FleetNotation.parse("50001x8", "more").orElseThrow();
    assertThatThrownBy(() -> fleet.and(more))
        .hasMessage("Fleet 150000x8 and 50001x8 has 200001 nodes; the maximum is 200000.");
  }

  @Test
  void impossible_quantities_are_refused_with_their_places() {
    String wrong = POOLS.replace("cpu: 96", "cpu: -1").replace("1Ti", "999999999Ti");
    assertThatThrownBy(() -> fleet(wrong))
        .hasMessageContaining(":11:10: pools[0].cpu: ")
        .hasMessageContaining(":12:13: pools[0].memory: \"999999999Ti\" is out of range.");
  }

  @Test
  void malformed_csv_header_is_refused() {
    assertThatThrownBy(() -> fleet("\"\"sn,cpu_milli,memory_mib,gpu,model\nn-0,1,1,2,P100\n"))
        .isInstanceOf(MalformedFile.class)
        .hasMessageContaining("fleet: is not CSV: Unexpected character after closing quote");
  }

  @Test
  void more_memory_than_can_be_counted_is_refused() {
    assertThatThrownBy(() ->
            fleet("num_switch,num_node_p_switch,num_gpu_p_node,mem_p_node\n1,1,8,9000000000000\n"))
        .hasMessageContaining("fleet:2:7: mem_p_node: 9000000000000 GiB is out of range.");
  }
}
