package dev.muster.server.kube.codec;

import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.Quantities;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.dra.NodeGpus;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Reads a Kubernetes node. Fields that change with every heartbeat are left out, so that a
/// heartbeat alone yields an equal node.
///
/// @param accelerators resource names that count as GPUs
/// @param faultConditions condition types that make a node unfit while they are True
/// @param devices GPUs that ResourceSlices offer, by the name of the node
public record NodeCodec(
    List<String> accelerators, Set<String> faultConditions, Function<String, NodeGpus> devices) {
  public NodeCodec {
    accelerators = List.copyOf(accelerators);
    faultConditions = Set.copyOf(faultConditions);
  }

  public ReadResult<Node> read(io.fabric8.kubernetes.api.model.Node node) {
    return ReadResult.of(node, () -> node(node));
  }

  /// Returns the problem in the node's annotations or number of GPUs, if any. The node is used
  /// nevertheless.
  public Optional<ObjectProblem> problem(io.fabric8.kubernetes.api.model.Node node) {
    return problem(freeGpus(node)).or(() -> problem(ReadResult.of(node, () -> counted(node))));
  }

  private static Optional<ObjectProblem> problem(ReadResult<?> read) {
    return switch (read) {
      case ReadResult.Good<?> _ -> Optional.empty();
      case ReadResult.Bad<?>(ObjectProblem problem) -> Optional.of(problem);
    };
  }

  /// Returns the GPUs of the node.
  ///
  /// @throws IllegalArgumentException if they are more than Muster counts
  private long counted(io.fabric8.kubernetes.api.model.Node node) {
    NodeStatus status = Objects.requireNonNullElseGet(node.getStatus(), NodeStatus::new);
    NodeGpus sliced = devices.apply(node.getMetadata().getName());
    long offered = Quantities.count(allocatable(status, sliced), accelerators);
    if (offered > Quantities.NODE_GPUS) {
      throw new IllegalArgumentException(
          "The node offers %d GPUs; Muster counts %d of them."
              .formatted(offered, Quantities.NODE_GPUS));
    }
    return offered;
  }

  private static ReadResult<Optional<SortedSet<Integer>>> freeGpus(
      io.fabric8.kubernetes.api.model.Node node) {
    Map<String, String> annotations = ObjectMetadata.annotations(node);
    return ReadResult.of(
        node,
        () ->
            Optional.ofNullable(annotations.get(WellKnownNames.FREE_GPUS)).map(NodeCodec::indexes));
  }

  private static SortedSet<Integer> indexes(String list) {
    TreeSet<Integer> indexes = new TreeSet<>();
    for (String index : list.isBlank() ? new String[0] : list.split(",", -1)) {
      if (!index.strip().matches("[0-9]{1,3}") || !indexes.add(Integer.valueOf(index.strip()))) {
        throw new IllegalArgumentException(
            "The annotation %s is \"%s\" and is ignored: \"%s\" is no GPU index, or occurs twice. It must be a list such as \"0,2,3\"."
                .formatted(WellKnownNames.FREE_GPUS, list, index));
      }
    }
    return indexes;
  }

  private Node node(io.fabric8.kubernetes.api.model.Node node) {
    Map<String, String> labels = ObjectMetadata.labels(node);
    NodeStatus status = Objects.requireNonNullElseGet(node.getStatus(), NodeStatus::new);
    NodeGpus sliced = devices.apply(node.getMetadata().getName());
    Resources allocatable = allocatable(status, sliced);
    GpuModel model = GpuLabels.model(labels, allocatable, accelerators).or(sliced.model());
    return new Node(
        new NodeId(node.getMetadata().getName()),
        new TreeMap<>(labels),
        allocatable,
        Quantities.nodeGpus(allocatable, accelerators),
        model,
        taints(node),
        node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
        faults(status.getConditions()),
        free(node).or(sliced::free));
  }

  /// Returns the allocatable resources of the status, plus the GPUs of ResourceSlices if no device
  /// plugin offers them.
  private static Resources allocatable(NodeStatus status, NodeGpus sliced) {
    Map<String, Long> amounts = Quantities.amounts(status.getAllocatable());
    sliced
        .offered()
        .asMap()
        .forEach(
            (name, amount) -> amounts.merge(name, amount, (own, more) -> own > 0 ? own : more));
    return Resources.of(amounts);
  }

  private static Optional<SortedSet<Integer>> free(io.fabric8.kubernetes.api.model.Node node) {
    return switch (freeGpus(node)) {
      case ReadResult.Good<Optional<SortedSet<Integer>>>(var indexes) -> indexes;
      case ReadResult.Bad<Optional<SortedSet<Integer>>> _ -> Optional.empty();
    };
  }

  private static List<Taint> taints(io.fabric8.kubernetes.api.model.Node node) {
    List<Taint> taints = new ArrayList<>();
    if (node.getSpec() != null) {
      for (var taint : node.getSpec().getTaints()) {
        String value = Objects.requireNonNullElse(taint.getValue(), "");
        effect(taint.getEffect())
            .ifPresent(effect ->
                taints.add(
                    new Taint(Objects.requireNonNullElse(taint.getKey(), ""), value, effect)));
      }
    }
    return taints;
  }

  /// Parses a taint effect; empty for an unknown effect of a newer version.
  static Optional<Taint.Effect> effect(@Nullable String name) {
    return switch (Objects.requireNonNullElse(name, "")) {
      case "NoSchedule" -> Optional.of(Taint.Effect.NO_SCHEDULE);
      case "PreferNoSchedule" -> Optional.of(Taint.Effect.PREFER_NO_SCHEDULE);
      case "NoExecute" -> Optional.of(Taint.Effect.NO_EXECUTE);
      default -> Optional.empty();
    };
  }

  private List<String> faults(List<NodeCondition> conditions) {
    List<String> faults = new ArrayList<>();
    if (conditions.stream().noneMatch(condition -> is(condition, "Ready"))) {
      faults.add(Node.NOT_READY);
    }
    conditions.stream()
        .filter(condition -> condition.getType() != null)
        .filter(condition -> faultConditions.contains(condition.getType()))
        .filter(condition -> is(condition, condition.getType()))
        .map(NodeCondition::getType)
        .sorted()
        .distinct()
        .forEach(faults::add);
    return faults;
  }

  private static boolean is(NodeCondition condition, String type) {
    return type.equals(condition.getType()) && "True".equals(condition.getStatus());
  }
}
