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
import dev.muster.server.http.access.PageView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Renders queues for the API. GPU time and shares are whole numbers, in thousandths of GPU-hours.
public final class QueueView {
  private static final long MILLIS_PER_MILLI_HOUR = 3_600;
  private static final String GPUS = "gpus";

  private QueueView() {}

  /// Returns the part of the list that a query asks for.
  ///
  /// @throws MalformedQuery if a value cannot be read
  public static ListPart part(PageQuery query) throws MalformedQuery {
    return ListPart.of(query, ListPart.MOST, List.of("name", GPUS));
  }

  /// A queue that the caller sees.
  ///
  /// @param own the caller's part; empty if the caller sees the queue as a whole
  private record Shown(Queue queue, Optional<Own> own, int gpus) {}

  /// Adds a part of all configured queues. If none is configured, it is one of all queues with
  /// usage or demand. Queues that the caller may not see are added up.
  ///
  /// If none is configured, anyone can name any queue. So naming one shows no more of it than the
  /// caller's own gangs. Only who sees the namespace of this name sees the queue as a whole.
  public static ObjectNode addTo(
      ObjectNode json, Cluster cluster, Queues queues, PageView view, ListPart part) {
    TreeSet<String> names = new TreeSet<>(queues.byName().keys());
    if (queues.takesAnyName()) {
      names.addAll(cluster.ledger().accounts().keys());
    }
    Map<String, Own> own = queues.takesAnyName() ? own(cluster, view) : Map.of();
    List<Shown> shown = new ArrayList<>();
    long[] seen = new long[4];
    long[] hidden = new long[4];
    for (String name : names) {
      Queue queue = queues.find(name).orElse(null);
      if (queue == null) {
        continue;
      }
      QueueUsage account = cluster.ledger().account(name);
      if (view.isWhole() || sees(queue, queues, view)) {
        shown.add(new Shown(queue, Optional.empty(), account.inUse()));
        add(seen, 1, account.inUse(), account.waitingGangs(), account.waitingGpus());
        continue;
      }
      Own mine = own.getOrDefault(name, Own.NONE);
      boolean isOwn = own.containsKey(name);
      if (isOwn) {
        shown.add(new Shown(queue, Optional.of(mine), mine.gpus()));
        add(seen, 1, mine.gpus(), mine.waitingGangs(), mine.waitingGpus());
      }
      int gpus = account.inUse() - mine.gpus();
      int gangs = account.waitingGangs() - mine.waitingGangs();
      int waitingGpus = account.waitingGpus() - mine.waitingGpus();
      boolean isOthers = !isOwn || gpus > 0 || gangs > 0 || waitingGpus > 0;
      add(hidden, isOthers ? 1 : 0, gpus, gangs, waitingGpus);
    }
    if (part.sort().equals(GPUS)) {
      shown.sort(Comparator.comparingInt(Shown::gpus).reversed());
    }
    ArrayNode items = json.withArray("items");
    for (Shown each : part.of(shown)) {
      items.add(
          each.own().isPresent()
              ? of(each.queue(), each.own().get())
              : of(each.queue(), cluster, queues, view));
    }
    sums(json.putObject("total"), seen);
    if (!view.isWhole()) {
      sums(json.putObject("others"), hidden);
    }
    return json;
  }

  private static void add(long[] sums, long... numbers) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += numbers[i];
    }
  }

  private static void sums(ObjectNode json, long[] sums) {
    json.put("queues", sums[0]).putObject("inUse").put(GPUS, sums[1]);
    json.putObject("waiting").put("gangs", sums[2]).put(GPUS, sums[3]);
  }

  /// The part of a queue that gangs of the caller use and ask for.
  ///
  /// @param held GPUs that they hold, by model
  private record Own(SortedMap<String, Integer> held, int waitingGangs, int waitingGpus) {
    private static final Own NONE = new Own(Collections.emptySortedMap(), 0, 0);

    private int gpus() {
      return held.values().stream().mapToInt(Integer::intValue).sum();
    }

    private Own plus(QueueUsage.GangUsage gang) {
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
