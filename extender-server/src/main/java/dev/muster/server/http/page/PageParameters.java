package dev.muster.server.http.page;

import java.util.List;

/// The names of the parameters that a page knows.
///
/// @param names names in alphabetical order
public record PageParameters(List<String> names) {
  public static final String AFTER = "after";
  public static final String BY = "by";
  public static final String DOMAIN = "domain";
  public static final String LIMIT = "limit";
  static final String NAME = "name";
  static final String NAMESPACE = "namespace";
  static final String OFFSET = "offset";
  static final String ORIGIN = "origin";
  static final String POD = "pod";
  static final String QUEUE = "queue";
  static final String REASON = "reason";
  static final String SINCE = "since";
  public static final String SORT = "sort";
  static final String UNTIL = "until";
  static final String USER = "user";
  public static final String VERDICT = "verdict";

  /// A page without parameters.
  public static final PageParameters NONE = new PageParameters(List.of());

  /// The parameters of the list of gangs.
  public static final PageParameters GANGS =
      new PageParameters(List.of(LIMIT, NAME, NAMESPACE, OFFSET, POD, QUEUE, SORT, USER, VERDICT));

  /// The parameters of the screen about all gangs.
  public static final PageParameters GANGS_SCREEN =
      new PageParameters(List.of(NAME, NAMESPACE, POD, QUEUE, USER));

  /// The parameters of one gang.
  public static final PageParameters GANG = new PageParameters(List.of(ORIGIN));

  /// The parameters of the list of waiting gangs.
  public static final PageParameters WAITING =
      new PageParameters(List.of(AFTER, LIMIT, NAMESPACE, OFFSET, QUEUE, REASON, SORT, USER));

  /// The parameters of the screen about waiting gangs.
  public static final PageParameters WAITING_SCREEN =
      new PageParameters(List.of(AFTER, LIMIT, NAMESPACE, QUEUE, REASON, USER));

  /// The parameters of the list of nodes, and of that of queues.
  public static final PageParameters PART = new PageParameters(List.of(LIMIT, OFFSET, SORT));

  /// The parameters of the page about usage.
  public static final PageParameters USAGE =
      new PageParameters(List.of(BY, NAMESPACE, QUEUE, SINCE, UNTIL, USER));

  /// The parameters of the map of the cluster.
  public static final PageParameters MAP = new PageParameters(List.of(AFTER, DOMAIN));

  /// The parameters of the screen about usage.
  public static final PageParameters USAGE_SCREEN =
      new PageParameters(List.of(NAMESPACE, QUEUE, SINCE, UNTIL, USER));

  public PageParameters {
    names = List.copyOf(names);
  }
}
