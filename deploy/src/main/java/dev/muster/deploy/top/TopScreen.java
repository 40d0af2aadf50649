package dev.muster.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.decision.PlainText;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/// The lines of the live screen. No line is wider than the screen, and there are at most as many as
/// its rows.
///
/// @param pages newest pages
/// @param state what the user looks at; its list is drawn when it has been read
/// @param note why the pages are old; empty if they are not
/// @param filters filters of gangs, each after a `&`
/// @param colours true if colours are wanted
record TopScreen(
    TopPages pages, TopState state, Optional<String> note, String filters, boolean colours) {
  private static final int ABOVE = 6; // with the headers of the table
  private static final int BELOW = 1;
  private static final int BAR = 40;
  private static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
  private static final AttributedStyle TITLE = PLAIN.inverse();
  private static final String KEYS = "Tab view  s sort  ? help  q quit";
  private static final List<String> HELP =
      List.of(
          "Tab, Shift-Tab      the next list, the one before; also arrows right, left",
          "arrows up and down  one row; also k and j",
          "Page Up, Page Down  one screen; also b and Space",
          "Home, End           the first rows, the last ones; also g and G",
          "s                   another order of the list",
          "?                   this help",
          "q, Ctrl-C           ends",
          "",
          "muster why NAME says why a gang waits, and what would start it sooner.",
          "Any key goes back.");

  /// Returns the number of rows of a list that fit a screen of this height, at least 1.
  static int rows(int height) {
    return Math.max(1, height - ABOVE - BELOW);
  }

  /// Returns the lines for a terminal, the last one at its bottom.
  List<AttributedString> lines(int width, int height) {
    List<AttributedString> lines = new ArrayList<>(above(width));
    lines.addAll(state.help() ? HELP.stream().map(AttributedString::new).toList() : table(width));
    while (lines.size() < height - BELOW) {
      lines.add(AttributedString.EMPTY);
    }
    List<AttributedString> shown =
        new ArrayList<>(lines.subList(0, Math.min(lines.size(), Math.max(0, height - BELOW))));
    shown.add(apart(new AttributedString(range(rows(height))), new AttributedString(KEYS), width));
    return shown.stream().map(line -> line.columnSubSequence(0, width)).toList();
  }

  /// Returns the lines for a file: without keys, and without the space above them.
  List<String> text(int width) {
    List<AttributedString> lines = new ArrayList<>(above(width));
    lines.addAll(table(width));
    lines.add(new AttributedString(range(pages.rows())));
    return lines.stream()
        .map(line -> line.columnSubSequence(0, width).toString().stripTrailing())
        .toList();
  }

  private List<AttributedString> above(int width) {
    return List.of(first(width), gpus(width), waiting(), problem(), tabs(width));
  }

  private AttributedString first(int width) {
    JsonNode server = pages.server();
    boolean leads = server.path("leading").asBoolean();
    String role =
        leads
            ? server.path("ready").asBoolean() ? "leader" : "leader, decides nothing yet"
            : "standby";
    AttributedString name =
        new AttributedStringBuilder()
            .append(plain("Muster " + server.path("release").asText()).strip(), PLAIN.bold())
            .append("  " + role)
            .toAttributedString();
    return apart(
        name, new AttributedString("as of " + HumanText.clock(server.path("asOf"), server)), width);
  }

  private AttributedString gpus(int width) {
    JsonNode page = list(TopView.NODES);
    JsonNode sums = page.has("total") ? page.path("total") : page.path("others");
    int total = sums.at("/gpus/total").asInt();
    int used = sums.at("/gpus/used").asInt();
    int promised = sums.at("/gpus/promised").asInt();
    String text =
        "GPUs     %d of %d used, %d free, %d promised, on %s"
            .formatted(
                used,
                total,
                sums.at("/gpus/free").asInt(),
                promised,
                HumanText.count(sums.path("nodes").asInt(), "node"));
    int room = Math.min(BAR, width - text.length() - 4);
    if (total == 0 || room < 10) {
      return new AttributedString(text);
    }
    int full = part(used, total, room);
    int next = Math.min(room - full, part(promised, total, room));
    return new AttributedStringBuilder()
        .append(text + "  [")
        .append("#".repeat(full), colour(AttributedStyle.GREEN))
        .append("+".repeat(next), colour(AttributedStyle.YELLOW))
        .append(".".repeat(room - full - next))
        .append("]")
        .toAttributedString();
  }

  /// Returns the length of a part of the bar; the smallest part is still seen.
  private static int part(int gpus, int total, int room) {
    return (int) Math.min(room, ((long) gpus * room + total - 1) / total);
  }

  private AttributedString waiting() {
    JsonNode page = pages.oldest();
    int gangs = page.at("/total/gangs").asInt() + page.at("/others/gangs").asInt();
    long gpus = page.at("/total/gpus").asLong() + page.at("/others/gpus").asLong();
    if (gangs == 0) {
      return new AttributedString("Waiting  nothing");
    }
    JsonNode first = page.path("items").path(0);
    String oldest =
        first.has("since")
            ? ", the oldest for %s: %s"
                .formatted(HumanText.since(first.path("since"), page), HumanText.id(first))
            : "";
    return new AttributedString(
        plain(
            "Waiting  %s for %s%s"
                .formatted(
                    HumanText.count(gangs, "gang"), HumanText.count((int) gpus, "GPU"), oldest)));
  }

  private AttributedString problem() {
    return new AttributedString(plain(note.orElse("")), colour(AttributedStyle.RED).bold());
  }

  private AttributedString tabs(int width) {
    AttributedStringBuilder tabs = new AttributedStringBuilder();
    for (TopView view : TopView.ALL) {
      String number = pages.lists().containsKey(view) ? " " + view.total(list(view)) : "";
      tabs.append(
              " " + view.title() + number + " ",
              view.equals(state.view()) ? PLAIN.bold().underline() : PLAIN)
          .append(" ");
    }
    String chosen = filters.isEmpty() ? "" : plain(filters.substring(1).replace("&", " "));
    return apart(tabs.toAttributedString(), new AttributedString(chosen), width);
  }

  private List<AttributedString> table(int width) {
    if (!pages.state().view().equals(state.view())) {
      return List.of(new AttributedString(""), new AttributedString("Reading ..."));
    }
    List<AttributedString> lines = new ArrayList<>();
    for (String row : state.view().table(pages.list(), width)) {
      boolean header = lines.isEmpty();
      lines.add(
          header
              ? new AttributedString(row + " ".repeat(Math.max(0, width - row.length())), TITLE)
              : new AttributedString(row));
    }
    return lines;
  }

  /// Returns which rows are in sight, of how many, and in which order.
  private String range(int rows) {
    int total = pages.total();
    if (!pages.state().view().equals(state.view()) || total == 0) {
      return "";
    }
    int first = pages.state().offset() + 1;
    int last = Math.min(total, pages.state().offset() + Math.min(rows, pages.rows()));
    return "%d-%d of %d by %s".formatted(Math.min(first, total), last, total, pages.state().sort());
  }

  private JsonNode list(TopView view) {
    return pages.lists().getOrDefault(view, pages.server());
  }

  private AttributedStyle colour(int colour) {
    return colours ? PLAIN.foreground(colour) : PLAIN;
  }

  /// Returns both texts on a line, the second one at the right if there is room.
  private static AttributedString apart(AttributedString left, AttributedString right, int width) {
    int space = width - left.columnLength() - right.columnLength();
    return space < 2
        ? left
        : new AttributedStringBuilder()
            .append(left)
            .append(" ".repeat(space))
            .append(right)
            .toAttributedString();
  }

  private static String plain(String text) {
    return PlainText.line(text);
  }
}
