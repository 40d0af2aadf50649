package dev.muster.simulator.baseline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Nodes and placements as arrays of free GPUs that are searched from the front.
final class NaiveNodes {
  private final int[] size;
  private final int[] models;
  private final NodeChoice placement;

  /// @param size GPUs of each node
  /// @param models the model of each node, as a number
  /// @param placement how places are chosen
  NaiveNodes(int[] size, int[] models, NodeChoice placement) {
    this.size = size;
    this.models = models;
    this.placement = placement;
  }

  int[] capacity() {
    return size.clone();
  }

  /// Returns the name of the only model in a place; no name if it is empty.
  String model(int[] place) {
    return IntStream.range(0, place.length)
        .filter(node -> place[node] > 0)
        .mapToObj(this::name)
        .findFirst()
        .orElse("");
  }

  /// Returns the names of the models.
  List<String> modelNames() {
    return IntStream.range(0, models.length).mapToObj(this::name).distinct().toList();
  }

  private String name(int node) {
    return models[node] == 1 ? "B" : "A";
  }

  private int modelCount() {
    return Arrays.stream(models).max().orElse(0) + 1;
  }

  int[] byModel(int[] free) {
    int[] sums = new int[modelCount()];
    for (int i = 0; i < free.length; i++) {
      sums[models[i]] += free[i];
    }
    return sums;
  }

  /// The models that will do, the most wanted first: 0 is called A, 1 is B.
  private List<Integer> models(GpuRequest request) {
    List<Integer> wanted = new ArrayList<>();
    request.choice().models().forEach(name -> wanted.add(name.charAt(0) - 'A'));
    return IntStream.range(0, modelCount())
        .boxed()
        .filter(model -> wanted.isEmpty() || wanted.contains(model))
        .sorted(Comparator.comparingInt(wanted::indexOf))
        .toList();
  }

  /// Returns the speed of a job there. B is twice as fast as A, and several nodes halve the speed.
  double rate(int[] place) {
    int[] used = IntStream.range(0, place.length).filter(node -> place[node] > 0).toArray();
    double speed = used.length > 0 && models[used[0]] == 1 ? 2 : 1;
    return used.length > 1 ? speed / 2 : speed;
  }

  int modelOf(int[] counted) {
    return IntStream.range(0, counted.length).filter(i -> counted[i] > 0).findFirst().orElse(0);
  }

  int @Nullable [] count(GpuRequest request, int[] seen) {
    for (int model : models(request)) {
      if (seen[model] >= request.gpus() && placeOn(request, only(model, capacity())) != null) {
        int[] place = new int[seen.length];
        place[model] = request.gpus();
        return place;
      }
    }
    return null;
  }

  int[] only(int model, int[] free) {
    int[] some = free.clone();
    for (int i = 0; i < some.length; i++) {
      some[i] = models[i] == model ? some[i] : -1;
    }
    return some;
  }

  /// GPUs on each node for the workers, all of one model; null when there is no place.
  int @Nullable [] place(GpuRequest request, int[] free) {
    for (int model : models(request)) {
      int[] place = placeOn(request, only(model, free));
      if (place != null) {
        return place;
      }
    }
    return null;
  }

  private int @Nullable [] placeOn(GpuRequest request, int[] free) {
    int largest = 0;
    for (int i = 0; i < free.length; i++) {
      largest = free[i] >= 0 ? Math.max(largest, size[i]) : largest;
    }
    int[] place = new int[free.length];
    boolean done =
        switch (placement) {
          case CONSOLIDATED -> blocks(request.gpus(), largest, free, place);
          case FIRST_FIT -> blocks(request.gpus(), largest, free, place);
          case BEST_FIT -> workers(request, free, place, true, false);
          case SPREAD -> workers(request, free, place, false, false);
          case ONE_WORKER_PER_NODE -> workers(request, free, place, true, true);
          case SCATTERED -> scattered(request.gpus(), free, place);
        };
    return done ? place : null;
  }

  private boolean blocks(int gpus, int largest, int[] free, int[] place) {
    if (gpus <= largest) {
      int node = placement == NodeChoice.FIRST_FIT ? first(free, gpus) : fewest(free, gpus);
      return last(node, gpus, place);
    }
    int left = gpus;
    while (true) {
      int node = placement == NodeChoice.FIRST_FIT ? first(free, left) : most(free, left);
      if (node >= 0) {
        return last(node, left, place);
      }
      int whole = largestEmpty(free, left);
      if (whole < 0) {
        return false;
      }
      place[whole] = size[whole];
      left -= size[whole];
      free[whole] = -1;
    }
  }

  private static boolean last(int node, int gpus, int[] place) {
    if (node >= 0) {
      place[node] = gpus;
    }
    return node >= 0;
  }

  private int largestEmpty(int[] free, int most) {
    int best = -1;
    for (int i = 0; i < free.length; i++) {
      boolean whole = free[i] > 0 && free[i] == size[i] && size[i] <= most;
      best = whole && (best < 0 || size[i] > size[best]) ? i : best;
    }
    return best;
  }

  private static boolean workers(
      GpuRequest request, int[] free, int[] place, boolean best, boolean apart) {
    for (int worker = 0; worker < request.workers(); worker++) {
      int node = best ? fewest(free, request.each()) : most(free, request.each());
      if (node < 0) {
        return false;
      }
      place[node] += request.each();
      free[node] = apart ? -1 : free[node] - request.each();
    }
    return true;
  }

  private static boolean scattered(int gpus, int[] free, int[] place) {
    int left = gpus;
    for (int i = 0; i < free.length; i++) {
      place[i] = Math.max(0, Math.min(left, free[i]));
      left -= place[i];
    }
    return left == 0;
  }

  private static int first(int[] free, int least) {
    return IntStream.range(0, free.length).filter(i -> free[i] >= least).findFirst().orElse(-1);
  }

  private static int fewest(int[] free, int least) {
    int best = -1;
    for (int i = 0; i < free.length; i++) {
      best = free[i] >= least && (best < 0 || free[i] < free[best]) ? i : best;
    }
    return best;
  }

  private static int most(int[] free, int least) {
    int best = -1;
    for (int i = 0; i < free.length; i++) {
      best = free[i] >= least && (best < 0 || free[i] > free[best]) ? i : best;
    }
    return best;
  }
}
