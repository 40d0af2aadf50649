package dev.muster.simulator.fleet;

import dev.muster.core.node.Node;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.policy.yaml.FileProblem;
import dev.muster.simulator.file.CsvRows;
import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.file.MalformedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/// A CSV format of node lists, as published with traces.
///
/// The header of a file determines its format.
///
/// @param columns required columns of the header
/// @param topology topology levels, if the list has any
/// @param assumptions assumptions, one sentence each
/// @param reader adds the nodes of a row to the list
record NodeTable(
    Set<String> columns,
    Topology topology,
    List<String> assumptions,
    BiConsumer<InputRow, List<Node>> reader) {
  private static final Topology FLAT = new Topology(List.of());
  private static final Topology SWITCHES =
      new Topology(List.of(new TopologyLevel("switch", "switch")));
  private static final int USUAL_GPUS = 8;
  private static final int MOST_GPUS = FleetNotation.MOST_GPUS;

  /// The error of a file with too many nodes.
  static final String TOO_MANY =
      "more than %d nodes, the maximum.".formatted(FleetNotation.MOST_NODES);

  private static final List<NodeTable> KNOWN =
      List.of(
          new NodeTable(
              Set.of("sn", "cpu_milli", "memory_mib", "gpu", "model"),
              FLAT,
              List.of("Alibaba openb: one node in a row."),
              NodeTable::openb),
          new NodeTable(
              Set.of("gpu_model", "gpu_capacity_num", "cpu_num", "node_name"),
              FLAT,
              List.of("Alibaba spot 2026: one node in a row; memory is not limited."),
              NodeTable::spot),
          new NodeTable(
              Set.of("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"),
              FLAT,
              List.of("Alibaba PAI 2020: one machine in a row; cap_cpu is cores, cap_mem GiB."),
              NodeTable::pai),
          new NodeTable(
              Set.of("num_switch", "num_node_p_switch", "num_gpu_p_node"),
              SWITCHES,
              List.of("Tiresias: all nodes are alike; mem_p_node is GiB; a switch is a level."),
              NodeTable::tiresias),
          new NodeTable(
              Set.of("machineId", "number of GPUs"),
              FLAT,
              List.of("Philly: one machine in a row; CPU and memory are not limited."),
              NodeTable::philly),
          new NodeTable(
              Set.of("vc", "node num"),
              FLAT,
              List.of(
                  "Nodes by virtual cluster, %d GPUs each; the label vc names it; CPU and memory are not limited."
                      .formatted(USUAL_GPUS)),
              NodeTable::clusters));

  /// Returns the format of a file with this beginning; empty if it has none of these.
  static Optional<NodeTable> of(FileHead head) {
    return KNOWN.stream().filter(table -> head.has(table.columns)).findFirst();
  }

  /// Returns the error for a table with an unknown header.
  static MalformedFile unknown(InputFile source, FileHead head) {
    String known =
        KNOWN.stream()
            .map(table -> String.join(",", new TreeSet<>(table.columns)))
            .collect(Collectors.joining("; or "));
    return new MalformedFile(
        new FileProblem(
            source.file(),
            1,
            1,
            "",
            "the columns (%s) match no known node list; expected: %s."
                .formatted(String.join(",", head.columns()), known)));
  }

  Fleet read(InputFile source) {
    List<Node> nodes = new ArrayList<>();
    try (BufferedReader text = source.reader()) {
      CsvRows rows = new CsvRows(source, text, null);
      rows.forEachRemaining(row -> add(row, nodes));
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
    List<String> said = new ArrayList<>(assumptions);
    said.add(NodeTemplate.UNLIMITED);
    return new Fleet(source.file(), nodes, topology, said);
  }

  /// Adds the nodes of a row, of which each reader limits the number.
  private void add(InputRow row, List<Node> nodes) {
    reader.accept(row, nodes);
    if (nodes.size() > FleetNotation.MOST_NODES) {
      throw row.fault("", TOO_MANY);
    }
  }

  private static void openb(InputRow row, List<Node> nodes) {
    long memory = (long) row.small("memory_mib") << 20;
    NodeTemplate make =
        NodeTemplate.of(
            row.small("gpu", MOST_GPUS), row.text("model"), row.count("cpu_milli"), memory);
    nodes.add(make.node(row.needed("sn"), Map.of()));
  }

  private static void spot(InputRow row, List<Node> nodes) {
    NodeTemplate make =
        new NodeTemplate(
            row.small("gpu_capacity_num", MOST_GPUS),
            row.text("gpu_model"),
            FleetNotation.GPU,
            OptionalLong.of(row.positiveThousandfold("cpu_num")),
            OptionalLong.empty());
    nodes.add(make.node("node-" + row.needed("node_name"), Map.of()));
  }

  private static void pai(InputRow row, List<Node> nodes) {
    NodeTemplate make =
        NodeTemplate.of(
            row.text("cap_gpu").isEmpty() ? 0 : row.small("cap_gpu", MOST_GPUS),
            row.text("gpu_type").equals("CPU") ? "" : row.text("gpu_type"),
            row.positiveThousandfold("cap_cpu"),
            row.gibibytes("cap_mem"));
    nodes.add(make.node(row.needed("machine"), Map.of()));
  }

  private static void tiresias(InputRow row, List<Node> nodes) {
    NodeTemplate make =
        new NodeTemplate(
            row.small("num_gpu_p_node", MOST_GPUS),
            "",
            FleetNotation.GPU,
            known(row, "num_cpu_p_node", row::positiveThousandfold),
            known(row, "mem_p_node", row::gibibytes));
    int switches = row.atLeastOne("num_switch");
    int perSwitch = row.small("num_node_p_switch", FleetNotation.MOST_NODES / switches);
    for (int i = 0; i < switches * perSwitch; i++) {
      String name = NodeTemplate.numbered(FleetNotation.NODE, nodes.size() + 1);
      nodes.add(
          make.node(
              name,
              Map.of("switch", String.format(Locale.ROOT, "switch-%03d", i / perSwitch + 1))));
    }
  }

  private static OptionalLong known(InputRow row, String column, ToLongFunction<String> amount) {
    return row.text(column).isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(amount.applyAsLong(column));
  }

  private static void philly(InputRow row, List<Node> nodes) {
    NodeTemplate make = NodeTemplate.boundless(row.small("number of GPUs", MOST_GPUS), "");
    nodes.add(make.node(row.needed("machineId"), Map.of()));
  }

  private static void clusters(InputRow row, List<Node> nodes) {
    NodeTemplate make = NodeTemplate.boundless(USUAL_GPUS, "");
    for (int i = row.small("node num", FleetNotation.MOST_NODES); i > 0; i--) {
      String name = NodeTemplate.numbered(FleetNotation.NODE, nodes.size() + 1);
      nodes.add(make.node(name, Map.of("vc", row.needed("vc"))));
    }
  }
}
