package dev.muster.server.http;

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
import java.util.TreeSet;

/// Renders queues for the API. GPU time and shares are whole numbers, in thousandths of GPU-hours.
final class QueueView {
  private static final long MILLIS_PER_MILLI_HOUR = 3_600;

  private QueueView() {}

  /// Adds all configured queues. If none is configured, adds all queues with usage or demand.
  static void all(ArrayNode array, Cluster cluster, Queues queues) {
    TreeSet<String> names = new TreeSet<>(queues.byName().keys());
    if (queues.takesAnyName()) {
      names.addAll(cluster.ledger().accounts().keys());
    }
    names.forEach(name -> queues.find(name).ifPresent(q -> array.add(of(q, cluster, queues))));
  }

  private static ObjectNode of(Queue queue, Cluster cluster, Queues queues) {
    QueueUsage account = cluster.ledger().account(queue.name());
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", queue.name()).put("weight", queue.weight());
    queue.namespaces().forEach(json.putArray("namespaces")::add);
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
