package dev.muster.simulator.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.simulator.file.WholeFiles;
import dev.muster.simulator.run.RunResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// One page that tells what runs came to, with all that it needs inside: it opens offline, from a
/// mail or a disk.
public final class HtmlReport {
  private static final String LIBRARY = "/META-INF/resources/webjars/d3/7.9.0/dist/d3.min.js";
  private static final JsonMapper COMPACT = new JsonMapper();

  private HtmlReport() {}

  /// Writes the page; several runs are shown side by side.
  ///
  /// @param runs at least one
  public static void write(List<RunResult> runs, Path file) throws IOException {
    WholeFiles.write(file, half -> Files.writeString(half, page(runs)));
  }

  static String page(List<RunResult> runs) {
    return page(runs, runs.stream().map(Summaries::of).toList());
  }

  /// The page of one run whose figures are known already.
  static String page(RunResult run, Summary summary) {
    return page(List.of(run), List.of(summary));
  }

  private static String page(List<RunResult> runs, List<Summary> summaries) {
    return text("report.html")
        .replace("@STYLE@", text("report.css"))
        .replace("@LIBRARY@", text(LIBRARY))
        .replace("@SCRIPT@", text("report.js"))
        .replace("@FIGURES@", harmless(figures(runs, summaries)));
  }

  private static String figures(List<RunResult> runs, List<Summary> summaries) {
    ObjectNode figures = COMPACT.createObjectNode();
    ArrayNode list = figures.putArray("runs");
    for (int i = 0; i < runs.size(); i++) {
      RunResult run = runs.get(i);
      ObjectNode each = list.addObject();
      each.set("summary", ResultFiles.json(summaries.get(i)));
      each.set("picture", Picture.of(run));
      each.put("start", run.setup().start().toString());
    }
    try {
      return COMPACT.writeValueAsString(figures);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /// JSON that cannot end the script element it stands in: names of jobs are anybody's words.
  private static String harmless(String text) {
    return text.replace("<", "\\u003c");
  }

  private static String text(String resource) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(
            "The jar of the simulator lacks %s. Maybe build it again.".formatted(resource));
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
