package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.decision.PlainText;
import dev.muster.server.http.page.HumanText;
import dev.muster.server.http.page.PageParameters;
import dev.muster.server.http.page.PageQuery;
import dev.muster.server.http.page.WhyReport;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.Map;
import java.util.SequencedMap;

/// Renders the answers of the API as HTML. The templates are compiled with the program, and escape
/// all that they print.
public final class Screens {
  /// The most gangs that the screen about all gangs shows.
  public static final int MOST_GANGS = 200;

  private static final TemplateEngine TEMPLATES =
      TemplateEngine.createPrecompiled(
          null, ContentType.Html, Screens.class.getClassLoader(), Screens.class.getPackageName());

  /// The place of the moment in a rendered screen. It is filled last, since screens that differ
  /// only in their moment have one entity tag.
  private static final String MOMENT = "<time></time>";

  private Screens() {}

  /// Renders the map of the cluster.
  ///
  /// @param nodes answer about the nodes
  /// @param line answer about waiting gangs
  public static String cluster(Frame frame, JsonNode nodes, JsonNode line, PageQuery query) {
    return rendered(
        "cluster",
        frame,
        ClusterScreen.of(
            nodes,
            line,
            frame.base(),
            query.values().getOrDefault(PageParameters.DOMAIN, ""),
            query.values().getOrDefault(PageParameters.AFTER, "")));
  }

  /// Renders the board of waiting gangs.
  public static String board(Frame frame, JsonNode line, PageQuery query) {
    return rendered("board", frame, BoardScreen.of(line, query, frame.base()));
  }

  /// Renders a gang.
  public static String gang(Frame frame, WhyReport report) {
    return rendered("gang", frame, GangScreen.of(report));
  }

  /// Renders the queues.
  public static String share(Frame frame, JsonNode queues) {
    return rendered("share", frame, ShareScreen.of(queues));
  }

  /// Renders the first gangs by name.
  ///
  /// @param gangs answer about the first [#MOST_GANGS]
  /// @param running number of all gangs of the query that run
  public static String gangs(Frame frame, JsonNode gangs, int running, PageQuery query) {
    return rendered("gangs", frame, GangsScreen.of(gangs, running, query, frame.base()));
  }

  /// Renders GPU-hours.
  ///
  /// @param answers answers about usage, by the word that they are added up by; at least one
  /// @param budgets answer about budgets
  public static String usage(
      Frame frame, SequencedMap<String, JsonNode> answers, JsonNode budgets, PageQuery query) {
    return rendered("usage", frame, UsageScreen.of(answers, budgets, query));
  }

  /// Renders the preemptions.
  public static String preemptions(Frame frame, JsonNode preemptions) {
    return rendered("preemptions", frame, PreemptionScreen.of(preemptions, frame.base()));
  }

  /// Renders the server.
  ///
  /// @param readiness answer about its readiness
  public static String server(Frame frame, JsonNode server, JsonNode readiness) {
    return rendered("server", frame, ServerScreen.of(server, readiness));
  }

  /// Renders a problem.
  ///
  /// @param problem what is wrong, with the remedy
  public static String problem(Frame frame, String problem) {
    return rendered("problem", frame, new ProblemScreen(problem, false, ""));
  }

  /// Renders a problem that a token solves, with a form for it.
  ///
  /// @param to path below the first screen to which the form returns
  public static String login(Frame frame, String problem, String to) {
    return rendered("problem", frame, new ProblemScreen(problem, true, to));
  }

  private static String rendered(String template, Frame frame, Object screen) {
    StringOutput html = new StringOutput();
    TEMPLATES.render(template + ".jte", Map.of("frame", frame, "screen", screen), html);
    return plain(html.toString());
  }

  /// Returns the text with a space in place of characters that change the order of reading.
  private static String plain(String html) {
    StringBuilder text = new StringBuilder(html);
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each != '\n' && !PlainText.isPlain(each)) {
        text.setCharAt(i, ' ');
      }
    }
    return text.toString();
  }

  /// Returns the screen with the moment of the answer that it shows.
  public static String at(String html, JsonNode answer) {
    String moment = answer.path("asOf").asText();
    return moment.isEmpty()
        ? html
        : html.replace(
            MOMENT,
            "As of <time datetime=\"%s\">%s</time>"
                .formatted(moment, HumanText.clock(answer.path("asOf"), answer)));
  }
}
