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
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/// Renders queues for the API. GPU time and shares are whole numbers, in thousandths of GPU-hours.
public final class QueueView {
  private static final long MILLIS_PER_MILLI_HOUR = 3_600;

  private QueueView() {}

  /// Adds all configured queues. If none is configured, adds all queues with usage or demand.
  /// Queues that the caller may not see are added up.
  public static ObjectNode all(ObjectNode json, Cluster cluster, Queues queues, PageView view) {
    TreeSet<String> names = new TreeSet<>(queues.byName().keys());
    if (queues.takesAnyName()) {
      names.addAll(cluster.ledger().accounts().keys());
    }
    Set<String> used = used(cluster, view);
    ArrayNode items = json.withArray("items");
    long[] hidden = new long[4];
    for (String name : names) {
      Queue queue = queues.find(name).orElse(null);
      if (queue == null) {
        continue;
      }
      if (view.isWhole() || used.contains(name) || sees(queue, queues, view)) {
        items.add(of(queue, cluster, queues, view));
      } else {
        QueueUsage account = cluster.ledger().account(name);
        hidden[0]++;
        hidden[1] += account.inUse();
        hidden[2] += account.waitingGangs();
        hidden[3] += account.waitingGpus();
      }
    }
    if (!view.isWhole()) {
      ObjectNode others = json.putObject("others").put("queues", hidden[0]);
      others.putObject("inUse").put("gpus", hidden[1]);
      others.putObject("waiting").put("gangs", hidden[2]).put("gpus", hidden[3]);
    }
    return json;
  }

  /// Returns the queues of the gangs that the caller may see.
  private static Set<String> used(Cluster cluster, PageView view) {
    Set<String> used = new HashSet<>();
    for (Gang gang : cluster.gangs()) {
      if (!view.isWhole() && view.sees(gang.id())) {
        gang.spec().ifPresent(spec -> used.add(spec.queue()));
      }
    }
    return used;
  }

  /// True if gangs that the caller may see can use the queue. A queue that is not configured often
  /// has the name of a namespace.
  private static boolean sees(Queue queue, Queues queues, PageView view) {
    return queues.takesAnyName()
        ? view.sees(queue.name())
        : queue.namespaces().isEmpty() || queue.namespaces().stream().anyMatch(view::sees);
  }

  private static ObjectNode of(Queue queue, Cluster cluster, Queues queues, PageView view) {
    QueueUsage account = cluster.ledger().account(queue.name());
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", queue.name()).put("weight", queue.weight());
    ArrayNode namespaces = json.putArray("namespaces");
    queue.namespaces().stream().filter(view::sees).forEach(namespaces::add);
    queue.priorityCeiling().ifPresent(ceiling -> json.put("maxPriority", ceiling));
    quota(json.putObject("guaranteed"), queue.guaranteed());
    quota(json.putObject("maximum"), queue.maximum());
    ObjectNode inUse = json.putObject("inUse").put("gpus", account.inUse());
    ObjectNode models = inUse.putObject("models");
    account
        .held()
        .keys()
        .forEach(model ->
            models.put(
                model.isEmpty() ? "unlabelled" : model, account.held().get(model).orElse(0)));
    json.put(
        "usedMilliGpuHours", account.usage().at(cluster.now()).gpuMillis() / MILLIS_PER_MILLI_HOUR);
    json.put("share", new FairShare(queues).share(cluster, queue.name()));
    json.putObject("waiting")
        .put("gangs", account.waitingGangs())
        .put("gpus", account.waitingGpus());
    return json;
  }

  private static void quota(ObjectNode json, Quota quota) {
    quota.gpus().ifPresent(gpus -> json.put("gpus", gpus));
    quota.models().forEach(json.putObject("models")::put);
  }

  /// Adds the numbers that order the gang in its queue, most significant first.
  static void rank(ObjectNode json, Gang gang, Cluster cluster, Queues queues) {
    Rank rank = new FairShare(queues).rank(cluster, gang);
    json.put("priority", rank.priority()).put("share", rank.share());
    gang.spec()
        .ifPresent(spec ->
            json.put("createdAt", spec.createdAt().toString())
                .put("eligibleAt", gang.eligibleAt().toString()));
  }
}
