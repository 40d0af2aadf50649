package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.decision.PlainText;
import dev.muster.server.http.page.HumanText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// A command that prints a list of things that Muster sees.
public abstract class ListCommand implements Callable<Integer> {
  /// Milliseconds between two looks of `--watch`.
  private static final int LOOK = 2_000;

  /// Formats of the output.
  enum Output {
    TABLE,
    WIDE,
    JSON,
    YAML,
    NAME
  }

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      paramLabel = "FORMAT",
      description = "table, wide, json, yaml or name. Default: ${DEFAULT-VALUE}.")
  private Output output = Output.TABLE;

  @Option(names = "--no-headers", description = "Prints only the rows of a table.")
  private boolean noHeaders;

  @Option(
      names = {"-w", "--watch"},
      description = "Prints the list again when it has changed, until Ctrl-C.")
  private boolean watch;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  private String complaint = "";

  /// The rows of a list.
  ///
  /// @param rows table of all columns
  /// @param narrow number of columns without `-o wide`
  /// @param names name of each row, for `-o name`
  /// @param footer line below the table
  public record Listing(TextTable rows, int narrow, List<String> names, String footer) {}

  /// Reads the document to print.
  abstract JsonNode read(PageSource pages);

  /// Returns the document as rows.
  public abstract Listing listing(JsonNode document);

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try (PageSource pages = server.open()) {
      JsonNode last = read(pages);
      out.print(printed(last));
      out.flush();
      while (watch && !out.checkError()) {
        Thread.sleep(LOOK);
        last = look(pages, last, out);
      }
    }
    return 0;
  }

  /// Prints the list if it differs from the last one, and returns the newest. While the server does
  /// not answer, the last one stays.
  JsonNode look(PageSource pages, JsonNode last, PrintWriter out) {
    JsonNode now;
    try {
      now = read(pages);
    } catch (PageProblem problem) {
      if (!problem.isPassing()) {
        throw problem;
      }
      complain(String.valueOf(problem.getMessage()));
      return last;
    }
    complaint = "";
    if (!lasting(now).equals(lasting(last))) {
      out.printf("%n%s", printed(now));
      out.flush();
    }
    return now;
  }

  /// Prints the problem, once while it lasts.
  private void complain(String problem) {
    if (!problem.equals(complaint)) {
      spec.commandLine().getErr().println(spec.qualifiedName() + ": " + problem);
      complaint = problem;
    }
  }

  /// Returns the document without what changes with each second.
  static JsonNode lasting(JsonNode document) {
    JsonNode rest = document.deepCopy();
    if (rest instanceof ObjectNode whole) {
      whole.remove(List.of("asOf", "version", "countedUntil"));
    }
    for (JsonNode item : rest.path("items")) {
      if (item instanceof ObjectNode row) {
        row.remove(List.of("rank", "share", "usedMilliGpuHours", "endsAt"));
      }
    }
    return rest;
  }

  String printed(JsonNode document) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    switch (output) {
      case JSON -> out.print(DocumentText.json(document));
      case YAML -> out.print(DocumentText.yaml(document));
      case NAME -> listing(document).names().forEach(name -> out.println(PlainText.line(name)));
      case TABLE, WIDE -> {
        Listing listing = listing(document);
        int columns = output == Output.WIDE ? listing.rows().width() : listing.narrow();
        if (!listing.rows().isEmpty()) {
          listing.rows().print(out, !noHeaders, columns);
        }
        if (!noHeaders) {
          out.println(listing.footer());
        }
      }
    }
    out.flush();
    return text.toString();
  }

  /// Returns a filter as part of a query.
  static String filter(String name, Optional<String> value) {
    return value
        .map(text -> "&" + name + "=" + URLEncoder.encode(text, StandardCharsets.UTF_8))
        .orElse("");
  }

  /// Returns the end of each footer: the moment of the page.
  static String asOf(JsonNode document) {
    return "As of " + HumanText.clock(document.path("asOf"), document) + ".";
  }
}
