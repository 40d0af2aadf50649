package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.muster.core.decision.PlainText;
import dev.muster.server.http.page.WhyReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `muster why`: says why a gang does not run yet, and what would start it.
@Command(
    name = "why",
    description = {
      "Says why a gang waits: the reason with its numbers, its position, its planned start, who is on those nodes, and what would start it sooner."
    },
    mixinStandardHelpOptions = true,
    exitCodeOnInvalidInput = WhyCommand.ERROR,
    exitCodeOnExecutionException = WhyCommand.ERROR,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it runs, or has ended",
      "1:error: no such gang, no answer, a wrong option",
      "2:it waits, or is starting",
      "3:it never starts as it is"
    })
public final class WhyCommand implements Callable<Integer> {
  static final int ERROR = 1;
  private static final int WAITS = 2;
  private static final int NEVER = 3;

  /// Formats of the answer.
  enum Output {
    TEXT,
    JSON,
    YAML
  }

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description =
          "Namespace of the gang. Default: that of the kubeconfig; with --server default.")
  private String namespace = "";

  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      paramLabel = "text|json|yaml",
      description = "Format of the answer. Default: ${DEFAULT-VALUE}.")
  private Output output = Output.TEXT;

  @Parameters(
      paramLabel = "TARGET",
      description =
          "A gang (its PodGroup), pod/NAME, or KIND/NAME of the workload: job/llama, jobset/llama, pytorchjob/llama.")
  private String target = "";

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try (PageSource pages = server.open()) {
      String where = namespace.isEmpty() ? pages.namespace().orElse("default") : namespace;
      JsonNode gang = new GangSearch(pages, where).find(target);
      switch (output) {
        case TEXT -> print(report(gang, pages), out);
        case JSON -> out.print(DocumentText.json(gang));
        case YAML -> out.print(DocumentText.yaml(gang));
      }
      out.flush();
      return code(gang);
    }
  }

  /// Reads the answers that the report needs besides that of the gang.
  static WhyReport report(JsonNode gang, PageSource pages) {
    return new WhyReport(
        gang,
        gang.has("planned") ? pages.get("/api/v1/nodes") : MissingNode.getInstance(),
        pages.get("/api/v1/preemptions"),
        pages.get("/api/v1/server"));
  }

  static void print(WhyReport report, PrintWriter out) {
    out.println(PlainText.line(report.headline()));
    report.lines().forEach(line -> out.println("  " + PlainText.line(line)));
  }

  static int code(JsonNode gang) {
    return switch (gang.path("verdict").asText()) {
      case "Runs", "Ended" -> 0;
      case "Never" -> NEVER;
      default -> WAITS;
    };
  }
}
