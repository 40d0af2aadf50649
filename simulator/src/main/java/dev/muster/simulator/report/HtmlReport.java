package dev.muster.simulator.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.simulator.file.AtomicFiles;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A self-contained HTML page with the results of runs, which opens offline.
public final class HtmlReport {
  private static final String LIBRARY = "/META-INF/resources/webjars/d3/7.9.0/dist/d3.min.js";
  private static final JsonMapper COMPACT = new JsonMapper();

  /// The placeholders in the template of the page.
  private static final Pattern GAP = Pattern.compile("@([A-Z]+)@");

  private HtmlReport() {}

  /// Writes the page; several runs are shown side by side.
  ///
  /// @param runs none for a page of the headline alone
  public static void write(List<RunResult> runs, Headline headline, Path file) throws IOException {
    AtomicFiles.write(file, half -> Files.writeString(half, page(runs, headline)));
  }

  static String page(List<RunResult> runs, Headline headline) {
    List<Shown> shown = new ArrayList<>();
    for (RunResult run : runs) {
      shown.add(
          new Shown(
              run, ResultFiles.json(SummaryCalculation.of(run)), ReportData.of(run, runs.size())));
    }
    return filled(shown, headline);
  }

  /// Returns the page of one run with figures that are computed already, as in `summary.json`.
  static String page(RunResult run, Summary figures, JsonNode summary, JsonNode picture) {
    return filled(List.of(new Shown(run, summary, picture)), Headline.of(figures));
  }

  /// The data of one run on the page.
  private record Shown(RunResult run, JsonNode summary, JsonNode picture) {}

  private static String filled(List<Shown> runs, Headline headline) {
    String frame = text("report.html");
    StringBuilder page = new StringBuilder(1 << 20);
    int from = 0;
    for (Matcher gap = GAP.matcher(frame); gap.find(); from = gap.end()) {
      page.append(frame, from, gap.start());
      page.append(
          switch (gap.group(1)) {
            case "STYLE" -> text("report.css");
            case "LIBRARY" -> text(LIBRARY);
            case "SCRIPT" -> text("report.js");
            case "FIGURES" -> harmless(figures(runs, headline));
            default -> throw new IllegalStateException("Unknown placeholder " + gap.group());
          });
    }
    return page.append(frame, from, frame.length()).toString();
  }

  private static String figures(List<Shown> runs, Headline headline) {
    ObjectNode figures = COMPACT.createObjectNode();
    figures.set("headline", ResultFiles.JSON.valueToTree(headline));
    ArrayNode list = figures.putArray("runs");
    for (Shown shown : runs) {
      ObjectNode each = list.addObject();
      each.set("summary", shown.summary());
      each.set("picture", shown.picture());
      each.put("start", shown.run().setup().start().toString());
    }
    try {
      return COMPACT.writeValueAsString(figures);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /// Escapes `<`, because a job name from the trace could otherwise end the script element.
  private static String harmless(String text) {
    return text.replace("<", "\\u003c");
  }

  private static String text(String resource) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("The jar of the simulator lacks %s.".formatted(resource));
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
