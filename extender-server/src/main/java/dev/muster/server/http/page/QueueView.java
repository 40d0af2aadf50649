package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.server.http.access.PageView;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Renders queues for the API. GPU time and shares are whole numbers, in thousandths of GPU-hours.
public final class QueueView {
  private static final long MILLIS_PER_MILLI_HOUR = 3_600;

  private QueueView() {}

  /// Adds all configured queues. If none is configured, adds all queues with usage or demand.
  /// Queues that the caller may not see are added up.
  ///
  /// If none is configured, anyone can name any queue. So naming one shows no more of it than the
  /// caller's own gangs. Only who sees the namespace of this name sees the queue as a whole.
  public static ObjectNode all(ObjectNode json, Cluster cluster, Queues queues, PageView view) {
    TreeSet<String> names = new TreeSet<>(queues.byName().keys());
    if (queues.takesAnyName()) {
      names.addAll(cluster.ledger().accounts().keys());
    }
    Map<String, Own> own = queues.takesAnyName() ? own(cluster, view) : Map.of();
    ArrayNode items = json.withArray("items");
    long[] hidden = new long[4];
    for (String name : names) {
      Queue queue = queues.find(name).orElse(null);
      if (queue == null) {
        continue;
      }
      if (view.isWhole() || sees(queue, queues, view)) {
        items.add(of(queue, cluster, queues, view));
        continue;
      }
      Own part = own.getOrDefault(name, Own.NONE);
      boolean isOwn = own.containsKey(name);
      if (isOwn) {
        items.add(of(queue, part));
      }
      QueueUsage account = cluster.ledger().account(name);
      long[] rest = {
        account.inUse() - part.gpus(),
        account.waitingGangs() - part.waitingGangs(),
        account.waitingGpus() - part.waitingGpus()
      };
      boolean isOthers = !isOwn || Arrays.stream(rest).anyMatch(number -> number > 0);
      hidden[0] += isOthers ? 1 : 0;
      for (int i = 0; i < rest.length; i++) {
        hidden[i + 1] += rest[i];
      }
    }
    if (!view.isWhole()) {
      ObjectNode others = json.putObject("others").put("queues", hidden[0]);
      others.putObject("inUse").put("gpus", hidden[1]);
      others.putObject("waiting").put("gangs", hidden[2]).put("gpus", hidden[3]);
    }
    return json;
  }

  /// The part of a queue that gangs of the caller use and ask for.
  ///
  /// @param held GPUs that they hold, by model
  private record Own(SortedMap<String, Integer> held, int waitingGangs, int waitingGpus) {
    private static final Own NONE = new Own(Collections.emptySortedMap(), 0, 0);

    private int gpus() {
      return held.values().stream().mapToInt(Integer::intValue).sum();
    }

    private Own plus(UsageLedger.GangUsage gang) {
      SortedMap<String, Integer> sum = new TreeMap<>(held);
      gang.held()
          .keys()
          .forEach(model -> sum.merge(model, gang.held().get(model).orElse(0), Integer::sum));
      return new Own(
          sum,
          waitingGangs + gang.asking().map(QueueUsage.Demand::gangs).orElse(0),
          waitingGpus + gang.asking().map(QueueUsage.Demand::gpus).orElse(0));
    }
  }

  /// Returns the parts of the queues that gangs of the caller use.
  private static Map<String, Own> own(Cluster cluster, PageView view) {
    Map<String, Own> own = new HashMap<>();
    for (Gang gang : cluster.gangs()) {
      if (view.sees(gang.id())) {
        cluster
            .ledger()
            .gangUsages()
            .get(gang.id())
            .ifPresent(usage ->
                own.merge(usage.queue(), Own.NONE.plus(usage), (sum, _) -> sum.plus(usage)));
      }
    }
    return own;
  }

  /// Returns a queue that others use too, with the caller's part alone. It has no share, as others
  /// made it.
  private static ObjectNode of(Queue queue, Own part) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    configuration(json, queue, List.of());
    ObjectNode models = json.putObject("inUse").put("gpus", part.gpus()).putObject("models");
    part.held().forEach((model, gpus) -> models.put(shown(model), gpus));
    json.putObject("waiting").put("gangs", part.waitingGangs()).put("gpus", part.waitingGpus());
    return json;
  }

  /// True if gangs that the caller may see can use the queue. A queue that is not configured
  /// belongs to the namespace of its name.
  static boolean sees(Queue queue, Queues queues, PageView view) {
    return queues.takesAnyName()
        ? view.sees(queue.name())
        : queue.namespaces().isEmpty() || queue.namespaces().stream().anyMatch(view::sees);
  }

  private static ObjectNode of(Queue queue, Cluster cluster, Queues queues, PageView view) {
    QueueUsage account = cluster.ledger().account(queue.name());
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    configuration(json, queue, queue.namespaces().stream().filter(view::sees).toList());
    ObjectNode inUse = json.putObject("inUse").put("gpus", account.inUse());
    ObjectNode models = inUse.putObject("models");
    account
        .held()
        .keys()
        .forEach(model -> models.put(shown(model), account.held().get(model).orElse(0)));
    json.put(
        "usedMilliGpuHours", account.usage().at(cluster.now()).gpuMillis() / MILLIS_PER_MILLI_HOUR);
    json.put("share", new FairShare(queues).share(cluster, queue.name()));
    json.putObject("waiting")
        .put("gangs", account.waitingGangs())
        .put("gpus", account.waitingGpus());
    return json;
  }

  private static void configuration(ObjectNode json, Queue queue, List<String> namespaces) {
    json.put("name", queue.name()).put("weight", queue.weight());
    namespaces.forEach(json.putArray("namespaces")::add);
    queue.priorityCeiling().ifPresent(ceiling -> json.put("maxPriority", ceiling));
    quota(json.putObject("guaranteed"), queue.guaranteed());
    quota(json.putObject("maximum"), queue.maximum());
  }

  private static String shown(String model) {
    return model.isEmpty() ? "unlabelled" : model;
  }

  private static void quota(ObjectNode json, Quota quota) {
    quota.gpus().ifPresent(gpus -> json.put("gpus", gpus));
    quota.models().forEach(json.putObject("models")::put);
  }

  /// Adds the numbers that order the gang in its queue, most significant first. The share is left
  /// out unless the caller sees the queue as a whole, since others make it, too.
  static void rank(ObjectNode json, Gang gang, Cluster cluster, Queues queues, PageView view) {
    Rank rank = new FairShare(queues).rank(cluster, gang);
    json.put("priority", rank.priority());
    if (view.seesAllGangs()
        || queues.find(gang.queue()).filter(queue -> sees(queue, queues, view)).isPresent()) {
      json.put("share", rank.share());
    }
    gang.spec()
        .ifPresent(spec ->
            json.put("createdAt", spec.createdAt().toString())
                .put("eligibleAt", gang.eligibleAt().toString()));
  }
}
