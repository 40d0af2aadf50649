package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.policy.file.Durations;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `muster usage`: prints GPU-hours, as sreport does.
@Command(
    name = "usage",
    description = {
      "Shows GPU-hours by day, queue, namespace, user, project or model.",
      "A GPU counts from the binding of its pod until the pod has ended."
    },
    mixinStandardHelpOptions = true)
public final class UsageCommand extends ListCommand {
  private static final double MILLI = 1000.0;
  private static final String NOBODY = "-";

  @Mixin private FilterOptions chosen = new FilterOptions();

  @Option(
      names = "--by",
      defaultValue = "queue",
      split = ",",
      paramLabel = "WORD",
      description =
          "day, queue, namespace, user, project, model, or several with commas. Default:"
              + " ${DEFAULT-VALUE}.")
  private List<String> by = new ArrayList<>();

  @Option(
      names = "--since",
      paramLabel = "DAY",
      description =
          "First day, such as 2026-11-01, or a time before today, such as 7d. Default: 30 days in"
              + " all.")
  private @Nullable String since;

  @Option(
      names = "--until",
      paramLabel = "DAY",
      description = "Last day. Default: today. Days are those of UTC.")
  private @Nullable String until;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  JsonNode read(PageSource pages) {
    String filters =
        filter("by", Optional.of(String.join(",", by)))
            + chosen.query(pages)
            + filter("since", day("--since", since))
            + filter("until", day("--until", until));
    return pages.get("/api/v1/usage?" + filters.substring(1));
  }

  private Optional<String> day(String option, @Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(LocalDate.parse(text).toString());
    } catch (DateTimeParseException _) {
      return Optional.of(before(option, text));
    }
  }

  private String before(String option, String text) {
    try {
      Duration ago = Durations.parse(text);
      return LocalDate.ofInstant(InstantSource.system().instant(), ZoneOffset.UTC)
          .minusDays(ago.toDays())
          .toString();
    } catch (IllegalArgumentException _) {
      throw new ParameterException(
          spec.commandLine(),
          "%s is \"%s\". It must be a day, such as 2026-11-27, or a time before today, such as 7d."
              .formatted(option, text));
    }
  }

  @Override
  public Listing listing(JsonNode document) {
    List<String> columns =
        List.of("day", "queue", "namespace", "user", "project", "model").stream()
            .filter(by::contains)
            .toList();
    List<String> titles =
        new ArrayList<>(columns.stream().map(word -> word.toUpperCase(Locale.ROOT)).toList());
    titles.addAll(List.of("GPU-HOURS", "PART"));
    TextTable rows = new TextTable(titles.toArray(String[]::new));
    List<String> names = new ArrayList<>();
    long total = document.at("/total/milliGpuSeconds").asLong(); // rounded sums have other shares
    for (JsonNode item : document.path("items")) {
      List<String> cells = new ArrayList<>();
      for (String column : columns) {
        String text = item.path(column).asText();
        cells.add(text.isEmpty() ? NOBODY : text);
      }
      names.add(String.join("/", cells));
      long part = item.path("milliGpuSeconds").asLong();
      cells.add(hours(item));
      cells.add(total == 0 ? NOBODY : "%d %%".formatted(Math.round(100.0 * part / total)));
      rows.row(cells.toArray(String[]::new));
    }
    return new Listing(rows, titles.size(), names, footer(document));
  }

  private static String footer(JsonNode document) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%s GPU-hours from %s to %s."
            .formatted(
                hours(document.path("total")),
                document.path("since").asText(),
                document.path("until").asText()));
    JsonNode others = document.path("others");
    if (others.path("milliGpuHours").asLong() > 0) {
      text.append(" %s GPU-hours of others.".formatted(hours(others)));
    }
    String counted = document.path("countedSince").asText();
    if (counted.isEmpty()) {
      text.append(" Nothing was counted yet.");
    } else if (!document.path("kept").asBoolean()) {
      text.append(" Counted since the start at %s; usage.store would keep it.".formatted(counted));
    } else {
      text.append(" Counted since %s.".formatted(counted));
    }
    return text.append(' ').append(asOf(document)).toString();
  }

  private static String hours(JsonNode sum) {
    return String.format(Locale.ROOT, "%.1f", sum.path("milliGpuHours").asLong() / MILLI);
  }
}
