package dev.muster.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.deploy.client.PageSource;
import java.util.HashMap;
import java.util.Map;

/// What a live screen shows: the part of one list that is in sight.
///
/// Of the other lists the first row is asked for, as its page has the number of all. So the cost
/// does not depend on the size of the cluster.
///
/// @param state what was asked for
/// @param rows most rows of the list in sight
/// @param server page about the server
/// @param oldest page with the gang that waits longest, whatever the filters are
/// @param lists pages of the lists; that of the queues only if it is in sight
record TopPages(
    TopState state, int rows, JsonNode server, JsonNode oldest, Map<TopView, JsonNode> lists) {
  private static final int MOST_ROWS = 500;

  /// Reads the pages.
  ///
  /// @param filters filters of gangs, each after a `&`
  /// @throws dev.muster.deploy.client.PageProblem if one is not answered
  static TopPages read(PageSource pages, TopState state, int rows, String filters) {
    int shown = Math.clamp(rows, 1, MOST_ROWS);
    Map<TopView, JsonNode> lists = new HashMap<>();
    for (TopView view : TopView.ALL) {
      if (view.equals(state.view())) {
        lists.put(view, pages.get(view.path(state, shown, filters)));
      } else if (!view.equals(TopView.QUEUES)) {
        lists.put(view, pages.get(view.path(filters)));
      }
    }
    return new TopPages(
        state,
        shown,
        pages.get("/api/v1/server"),
        pages.get("/api/v1/waiting?limit=1&sort=wait"),
        lists);
  }

  /// Returns the number of rows of the list in sight.
  int total() {
    return state.view().total(list());
  }

  /// Returns the list in sight.
  JsonNode list() {
    return lists.getOrDefault(state.view(), server);
  }
}
