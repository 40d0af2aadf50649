package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Words for numbers of the API: durations as `14m`, times in UTC, shapes as `2 x 8`. The commands
/// and the web pages share them.
public final class HumanText {
  private static final String NOTHING = "-";
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("MM-dd HH:mm'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private HumanText() {}

  /// Returns a duration in at most two units, rounded down: `45s`, `14m`, `2h05m`, `3d4h`.
  public static String duration(Duration time) {
    long seconds = Math.max(0, time.toSeconds());
    long minutes = seconds / 60;
    long hours = minutes / 60;
    if (minutes == 0) {
      return seconds + "s";
    }
    if (hours == 0) {
      return minutes + "m";
    }
    return hours < 24
        ? "%dh%02dm".formatted(hours, minutes % 60)
        : "%dd%dh".formatted(hours / 24, hours % 24);
  }

  /// Returns the time of a field of a page.
  public static Optional<Instant> instant(JsonNode field) {
    return field.isTextual() ? Optional.of(Instant.parse(field.asText())) : Optional.empty();
  }

  /// Returns the duration between a field and the moment of the page; `-` without the field.
  public static String since(JsonNode field, JsonNode page) {
    Instant now = instant(page.path("asOf")).orElse(Instant.EPOCH);
    return instant(field).map(at -> duration(Duration.between(at, now))).orElse(NOTHING);
  }

  /// Returns a time of the day, with the date if it is a day or more from now; `-` without it.
  public static String clock(JsonNode field, JsonNode page) {
    Instant now = instant(page.path("asOf")).orElse(Instant.EPOCH);
    return instant(field).map(at -> clock(at, now)).orElse(NOTHING);
  }

  private static String clock(Instant at, Instant now) {
    boolean near = Duration.between(at, now).abs().compareTo(Duration.ofDays(1)) < 0;
    return (near ? CLOCK : DAY).format(at.truncatedTo(ChronoUnit.SECONDS));
  }

  /// Returns the GPUs of pods, as `2 x 8 H100`; parts with different numbers are joined by `+`.
  public static String shape(JsonNode gang) {
    List<String> parts = new ArrayList<>();
    for (JsonNode part : gang.path("shape")) {
      int milli = part.path("milliGpus").asInt();
      String each =
          milli == 0
              ? part.path("gpus").asText()
              : String.valueOf((part.path("gpus").asInt() * 1000 + milli) / 1000.0);
      parts.add("%d x %s".formatted(part.path("pods").asInt(), each));
    }
    if (parts.isEmpty()) {
      return NOTHING;
    }
    List<String> models = texts(gang.path("models"));
    return String.join(" + ", parts) + (models.isEmpty() ? "" : " " + String.join("|", models));
  }

  /// Returns the texts of an array.
  public static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(each -> texts.add(each.asText()));
    return texts;
  }

  /// Returns `1st`, `2nd`, `3rd`, `4th`, `11th`.
  public static String ordinal(int number) {
    int two = number % 100;
    String ending =
        two >= 11 && two <= 13
            ? "th"
            : switch (number % 10) {
              case 1 -> "st";
              case 2 -> "nd";
              case 3 -> "rd";
              default -> "th";
            };
    return number + ending;
  }

  /// Returns the text of a field; `-` without it.
  public static String text(JsonNode field) {
    String text = field.asText();
    return text.isEmpty() ? NOTHING : text;
  }

  /// Returns GPU-hours with one decimal.
  public static String gpuHours(long gpuSeconds) {
    return String.format(Locale.ROOT, "%.1f", gpuSeconds / 3600.0);
  }

  /// Returns whose budget it is, as `queue research`.
  public static String budget(JsonNode budget) {
    return budget.has("queue")
        ? "queue " + budget.path("queue").asText()
        : "project " + budget.path("project").asText();
  }

  /// Returns when a budget ends: `spent`, the day in UTC, or `-` if it lasts.
  public static String budgetEnd(JsonNode budget) {
    return budget.path("spent").asBoolean()
        ? "spent"
        : instant(budget.path("endsAt"))
            .map(end -> LocalDate.ofInstant(end, ZoneOffset.UTC).toString())
            .orElse(NOTHING);
  }

  /// Returns `1 gang` or `2 gangs`.
  public static String count(int number, String noun) {
    return "%d %s%s".formatted(number, noun, number == 1 ? "" : "s");
  }

  /// Returns `namespace/name` of a gang of a page.
  public static String id(JsonNode gang) {
    return gang.path("namespace").asText() + "/" + gang.path("name").asText();
  }

  /// Returns the gangs on a node with their GPUs there, and the number of other pods.
  public static String occupants(JsonNode node) {
    List<String> parts = new ArrayList<>();
    for (JsonNode gang : node.path("gangs")) {
      parts.add("%s(%s)".formatted(id(gang), gang.path("gpus").asText()));
    }
    JsonNode others = node.path("otherPods");
    if (others.has("pods")) {
      parts.add(
          "%s(%s)"
              .formatted(
                  count(others.path("pods").asInt(), "other pod").replace(' ', '-'),
                  others.path("gpus").asText()));
    }
    return parts.isEmpty() ? "-" : String.join(" ", parts);
  }

  /// Returns a transition of a gang in words.
  public static String transition(JsonNode transition) {
    String reason = transition.path("reason").asText();
    String message = transition.path("message").asText();
    return "%s%s%s"
        .formatted(
            transition.path("state").asText(),
            reason.isEmpty() ? "" : " (" + reason + ")",
            message.isEmpty() ? "." : ": " + message);
  }
}
