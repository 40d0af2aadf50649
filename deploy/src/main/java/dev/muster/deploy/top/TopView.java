package dev.muster.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.deploy.client.GangsCommand;
import dev.muster.deploy.client.ListCommand;
import dev.muster.deploy.client.NodesCommand;
import dev.muster.deploy.client.QueueCommand;
import dev.muster.deploy.client.ShareCommand;
import java.util.List;

/// A list of the live screen. Its columns are those of the command that prints the list.
///
/// @param title its name on the screen
/// @param path address below `/api/v1/`, to which parameters are added
/// @param count where a page has the number of rows of the whole list
/// @param sorts orders of the list, the usual one first
/// @param command the command that prints the list
/// @param columns columns of the screen
record TopView(
    String title,
    String path,
    String count,
    List<String> sorts,
    ListCommand command,
    List<FittedColumn> columns) {
  static final TopView WAITING =
      new TopView(
          "Waiting",
          "waiting?",
          "/total/gangs",
          List.of("position", "wait", "gpus"),
          new QueueCommand(),
          List.of(
              FittedColumn.number("POSITION").named("POS"),
              FittedColumn.text("NAMESPACE", 9),
              FittedColumn.text("NAME", 12),
              FittedColumn.text("QUEUE", 8),
              FittedColumn.number("GPUS"),
              FittedColumn.text("SHAPE", 10).ifRoom(),
              FittedColumn.number("WAIT"),
              FittedColumn.text("START", 9),
              FittedColumn.text("REASON", 18),
              FittedColumn.text("USER", 8).ifRoom(),
              FittedColumn.text("MESSAGE", 24).ifRoom()));

  static final TopView RUNNING =
      new TopView(
          "Running",
          "gangs?verdict=Runs,Starts&",
          "/total/gangs",
          List.of("gpus", "start", "name"),
          new GangsCommand(),
          List.of(
              FittedColumn.text("NAMESPACE", 9),
              FittedColumn.text("NAME", 12),
              FittedColumn.text("QUEUE", 8),
              FittedColumn.text("STATE", 6),
              FittedColumn.text("BOUND", 5),
              FittedColumn.number("GPUS"),
              FittedColumn.number("RUNS"),
              FittedColumn.text("SHAPE", 10).ifRoom(),
              FittedColumn.text("USER", 8).ifRoom(),
              FittedColumn.text("NODES", 16).ifRoom()));

  static final TopView NODES =
      new TopView(
          "Nodes",
          "nodes?",
          "/total/nodes",
          List.of("name", "free", "used"),
          new NodesCommand(),
          List.of(
              FittedColumn.text("NODE", 16),
              FittedColumn.text("MODEL", 8),
              FittedColumn.number("GPUS"),
              FittedColumn.number("FREE"),
              FittedColumn.number("USED"),
              FittedColumn.number("PROMISED"),
              FittedColumn.text("STATE", 9),
              FittedColumn.text("GANGS", 18),
              FittedColumn.text("DOMAIN", 12).ifRoom(),
              FittedColumn.text("FAULTS", 24).ifRoom()));

  static final TopView QUEUES =
      new TopView(
          "Queues",
          "queues?",
          "/total/queues",
          List.of("name", "gpus"),
          new ShareCommand(),
          List.of(
              FittedColumn.text("QUEUE", 12),
              FittedColumn.number("GUARANTEED"),
              FittedColumn.number("MAXIMUM"),
              FittedColumn.number("USED"),
              FittedColumn.number("BORROWED"),
              FittedColumn.number("WAITING"),
              FittedColumn.number("GPU-HOURS"),
              FittedColumn.number("SHARE").ifRoom(),
              FittedColumn.number("GANGS").ifRoom(),
              FittedColumn.text("NAMESPACES", 16).ifRoom()));

  /// All views, from the left.
  static final List<TopView> ALL = List.of(WAITING, RUNNING, NODES, QUEUES);

  TopView {
    sorts = List.copyOf(sorts);
    columns = List.copyOf(columns);
  }

  /// Returns the view that is this many places to the right; the last one is beside the first.
  TopView beside(int step) {
    return ALL.get(Math.floorMod(ALL.indexOf(this) + step, ALL.size()));
  }

  /// Returns the address of a part of the list.
  ///
  /// @param filters filters of gangs, each after a `&`
  String path(TopState state, int rows, String filters) {
    String part = "limit=%d&offset=%d&sort=%s".formatted(rows, state.offset(), state.sort());
    return "/api/v1/" + path + part + (equals(NODES) || equals(QUEUES) ? "" : filters);
  }

  /// Returns the address of the first row alone, which also has the number of all.
  String path(String filters) {
    return path(new TopState(this, sorts.getFirst(), 0, false), 1, filters);
  }

  /// Returns the number of rows of the whole list.
  int total(JsonNode page) {
    return page.at(count).asInt();
  }

  /// Returns the rows of a page below their headers, each at most as wide as the screen.
  List<String> table(JsonNode page, int width) {
    var listing = command.listing(page).rows();
    return FittedColumn.lines(columns, listing.headers(), listing.rows(), width);
  }
}
