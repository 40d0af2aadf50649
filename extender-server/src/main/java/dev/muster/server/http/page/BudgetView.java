package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.server.http.access.PageView;
import dev.muster.server.usage.BudgetStanding;
import dev.muster.server.usage.UnreadableUsage;
import dev.muster.server.usage.UsageBook;
import java.util.Locale;

/// Renders budgets for the API. GPU time is in thousandths of GPU-hours.
public final class BudgetView {
  private static final long MILLIS_PER_MILLI_HOUR = 3_600;

  private BudgetView() {}

  /// Adds the budgets that the caller may see to an empty list, in the order of the configuration.
  ///
  /// A project has gangs in any namespace, and anyone can name any project. So only who sees all
  /// gangs sees its budget. A budget of a queue is seen by who sees the queue.
  ///
  /// @throws UnreadableUsage if it is not known what is used now
  public static ObjectNode addTo(ObjectNode json, UsageBook book, Queues queues, PageView view)
      throws UnreadableUsage {
    ArrayNode items = json.withArray("items");
    int others = 0;
    for (BudgetStanding standing : book.budgetsNow()) {
      if (sees(standing.budget().owner(), queues, view)) {
        add(items.addObject(), standing);
      } else {
        others++;
      }
    }
    if (!view.isWhole()) {
      json.putObject("others").put("budgets", others);
    }
    return UsageView.addTimes(json, book);
  }

  private static boolean sees(BudgetOwner owner, Queues queues, PageView view) {
    return switch (owner.kind()) {
      case PROJECT -> view.seesAllGangs();
      case QUEUE -> {
        Queue queue = queues.find(owner.name()).orElse(null);
        yield view.seesAllGangs() || (queue != null && QueueView.sees(queue, queues, view));
      }
    };
  }

  private static void add(ObjectNode json, BudgetStanding standing) {
    BudgetOwner owner = standing.budget().owner();
    json.put(owner.kind().name().toLowerCase(Locale.ROOT), owner.name())
        .put("period", standing.budget().period().text())
        .put("onExceeded", standing.budget().onExceeded().text())
        .put("milliGpuHours", standing.gpuMillis() / MILLIS_PER_MILLI_HOUR)
        .put("usedMilliGpuHours", standing.usedGpuMillis() / MILLIS_PER_MILLI_HOUR)
        .put("gpus", standing.gpus())
        .put("since", standing.since().toString())
        .put("until", standing.until().toString())
        .put("spent", standing.isSpent());
    standing.endsAt().ifPresent(end -> json.put("endsAt", end.toString()));
  }
}
