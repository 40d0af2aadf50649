package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.decision.PlainText;
import dev.muster.server.http.page.GangView;
import java.util.Map;

/// A page that was not answered as asked.
public final class PageProblem extends RuntimeException {
  private static final long serialVersionUID = 1;

  private static final String ONE_GANG = "Gang";
  private static final Map<String, String> OTHER_KINDS =
      Map.of(
          "budgets", "BudgetList",
          "gangs", "GangList",
          "nodes", "NodeList",
          "preemptions", "PreemptionList",
          "queues", "QueueList",
          "server", "Server",
          "usage", "UsageList",
          "waiting", "WaitingList");

  private final int status;

  /// @param status HTTP status; 0 without an answer
  PageProblem(int status, String problem) {
    super(PlainText.line(problem));
    this.status = status;
  }

  /// Returns the answer if it is the page of the path. Another server may answer with any JSON.
  ///
  /// @param path path with its query, from `/api/v1/`
  /// @param from the server, as the beginning of a sentence
  /// @throws PageProblem if it is no such page
  static JsonNode checked(JsonNode answer, String path, String from) {
    String name = path.replaceFirst("\\?.*", "").replace("/api/v1/", "");
    if (answer.path("apiVersion").asText().equals(GangView.API_VERSION)
        && answer.path("kind").asText().equals(OTHER_KINDS.getOrDefault(name, ONE_GANG))) {
      return answer;
    }
    throw new PageProblem(0, "%s answers, but not as Muster does.".formatted(from));
  }

  int status() {
    return status;
  }

  /// True if the server refuses the value of an option.
  public boolean isOfTheCall() {
    return status == 400;
  }

  /// True if a later call may succeed: no answer, too many calls, or an error in the server.
  public boolean isPassing() {
    return status == 0 || status == 429 || status >= 500;
  }
}
