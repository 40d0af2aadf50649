package dev.muster.simulator.baseline;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The free GPUs of each node.
final class NodeFreeGpus {
  private final int[] capacity;
  private final int[] free;
  private final ModelPool[] poolOf;
  private final List<ModelPool> pools;

  private NodeFreeGpus(int[] capacity, int[] free, String[] models) {
    this.capacity = capacity;
    this.free = free;
    this.poolOf = new ModelPool[capacity.length];
    TreeMap<String, BitSet> sizes = new TreeMap<>();
    for (int i = 0; i < capacity.length; i++) {
      sizes.computeIfAbsent(models[i], _ -> new BitSet()).set(capacity[i]);
    }
    TreeMap<String, ModelPool> byModel = new TreeMap<>();
    sizes.forEach((model, each) -> byModel.put(model, new ModelPool(model, each, capacity)));
    this.pools = List.copyOf(byModel.values());
    for (int i = 0; i < capacity.length; i++) {
      poolOf[i] = byModel.getOrDefault(models[i], pools.getFirst());
      poolOf[i].add(i, free[i]);
    }
  }

  /// Returns the nodes with all GPUs free.
  static NodeFreeGpus of(List<Node> nodes) {
    int[] capacity = nodes.stream().mapToInt(Node::gpus).toArray();
    String[] models = nodes.stream().map(node -> node.model().name()).toArray(String[]::new);
    return new NodeFreeGpus(capacity, capacity.clone(), models);
  }

  /// Returns these nodes with other numbers of free GPUs; negative numbers count as zero.
  NodeFreeGpus with(int[] otherFree) {
    int[] bounded = otherFree.clone();
    for (int i = 0; i < bounded.length; i++) {
      bounded[i] = Math.clamp(bounded[i], 0, capacity[i]);
    }
    return new NodeFreeGpus(capacity, bounded, models());
  }

  /// Returns these nodes with all GPUs free.
  NodeFreeGpus empty() {
    return with(capacity);
  }

  private String[] models() {
    return Arrays.stream(poolOf).map(ModelPool::model).toArray(String[]::new);
  }

  int[] free() {
    return free.clone();
  }

  /// Returns the free GPUs on the node.
  int free(int node) {
    return free[node];
  }

  /// Returns the GPUs of the node.
  int capacity(int node) {
    return capacity[node];
  }

  /// Returns the free GPUs on all nodes.
  int totalFree() {
    int all = 0;
    for (ModelPool pool : pools) {
      all += pool.free();
    }
    return all;
  }

  /// Returns the free GPUs of each model, in order of their names.
  int[] freeByModel() {
    return pools.stream().mapToInt(ModelPool::free).toArray();
  }

  /// Returns the index of the node's model, in order of their names.
  int model(int node) {
    return pools.indexOf(poolOf[node]);
  }

  void take(int node, int gpus) {
    poolOf[node].remove(node, free[node]);
    free[node] -= gpus;
    poolOf[node].add(node, free[node]);
  }

  void take(Allocation allocation) {
    for (int i = 0; i < allocation.size(); i++) {
      take(allocation.node(i), allocation.gpus(i));
    }
  }

  void give(Allocation allocation) {
    for (int i = 0; i < allocation.size(); i++) {
      take(allocation.node(i), -allocation.gpus(i));
    }
  }

  /// Removes the node, on which no job holds anything.
  void remove(int node) {
    poolOf[node].remove(node, free[node]);
    free[node] = 0;
    poolOf[node].add(node, 0);
  }

  /// Restores the node with all its GPUs free.
  void restore(int node) {
    take(node, -capacity[node]);
  }

  /// Sets the node aside: searches skip it until it is brought back.
  void hide(int node) {
    poolOf[node].remove(node, free[node]);
  }

  void show(int node) {
    poolOf[node].add(node, free[node]);
  }

  /// Places the request and takes the GPUs at once; null when there is no placement. All workers
  /// get one model: the most preferred first, then by name. A request without GPUs takes nothing of
  /// any node.
  @Nullable Allocation place(GpuRequest request, NodeChoice placement) {
    if (request.gpus() == 0) {
      return new Allocation();
    }
    for (ModelPool pool : choices(request)) {
      Allocation allocation =
          request.gpus() > pool.free() ? null : placement.place(request, pool, this);
      if (allocation != null) {
        return allocation;
      }
    }
    return null;
  }

  /// Places the request on nodes of one model and takes the GPUs at once; null when there is no
  /// placement.
  @Nullable Allocation place(GpuRequest request, NodeChoice placement, int model) {
    ModelPool pool = pools.get(model);
    return request.gpus() > pool.free() ? null : placement.place(request, pool, this);
  }

  /// Returns the indexes of the models on which the request has a placement.
  BitSet models(GpuRequest request, NodeChoice placement) {
    BitSet models = new BitSet();
    for (ModelPool pool : choices(request)) {
      int model = pools.indexOf(pool);
      Allocation allocation = place(request, placement, model);
      if (allocation != null) {
        give(allocation);
        models.set(model);
      }
    }
    return models;
  }

  /// Returns GPUs of one of these models without regard to nodes; null when no model has enough.
  @Nullable Allocation count(GpuRequest request, BitSet models, int[] freeByModel) {
    for (ModelPool pool : choices(request)) {
      int model = pools.indexOf(pool);
      if (models.get(model) && freeByModel[model] >= request.gpus()) {
        Allocation allocation = new Allocation();
        allocation.add(model, request.gpus());
        return allocation;
      }
    }
    return null;
  }

  /// Returns the engine's reason why the request has no placement on these nodes while nothing
  /// runs.
  Veto why(GpuRequest request) {
    List<ModelPool> choices = choices(request);
    if (choices.isEmpty()) {
      Veto example = new Veto.WrongModel(request.choice().models(), offered());
      return new Veto.NoMatchingNodes(
          free.length,
          SortedTable.<String, Veto.Count>empty()
              .with(ReasonText.token(example), new Veto.Count(free.length, example)));
    }
    ModelPool best = Collections.max(choices, Comparator.comparingInt(ModelPool::free));
    int largest = choices.stream().mapToInt(ModelPool::size).max().orElse(0);
    if (request.gpus() > best.free()) {
      boolean several = choices.stream().filter(pool -> pool.free() > 0).count() > 1;
      String within = several ? "GPU model" : "cluster"; // no mix of models would do here
      return new Veto.TooBig(within, request.gpus(), best.free());
    }
    return request.each() > largest
        ? new Veto.TooBig("node", request.each(), largest)
        : new Veto.Fragmented(
            request.workers(), request.each(), best.free(), best.nodes(), best.size());
  }

  /// Returns the model with the most GPUs.
  private String offered() {
    String model = Collections.max(pools, Comparator.comparingInt(ModelPool::free)).model();
    return model.isEmpty() ? GpuModel.UNKNOWN.toString() : model;
  }

  private List<ModelPool> choices(GpuRequest request) {
    if (pools.size() == 1 && request.choice().models().isEmpty()) {
      return pools;
    }
    List<ModelPool> choices = new ArrayList<>();
    for (ModelPool pool : pools) {
      if (request.choice().accepts(pool.model())) {
        choices.add(pool);
      }
    }
    choices.sort(Comparator.comparingInt(pool -> request.choice().rank(pool.model())));
    return choices;
  }
}
