package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.policy.file.NearestWord;
import dev.muster.server.http.access.PageView;
import dev.muster.server.usage.UnreadableUsage;
import dev.muster.server.usage.UsageBook;
import dev.muster.server.usage.UsageKey;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/// Renders GPU-hours by day, queue, namespace, user, project or model for the API.
///
/// Usage in namespaces that the caller may not see is added up under `others`.
public final class UsageView {
  private static final long MILLIS_PER_MILLI_HOUR = 3_600;
  private static final int USUAL_DAYS = 30;
  private static final int MOST_ITEMS = 10_000;

  /// What usage can be added up by, in the order of columns.
  private static final SequencedMap<String, Function<UsageKey, String>> DIMENSIONS =
      new LinkedHashMap<>();

  static {
    DIMENSIONS.put("day", key -> key.day().toString());
    DIMENSIONS.put("queue", key -> key.account().queue());
    DIMENSIONS.put("namespace", key -> key.account().namespace());
    DIMENSIONS.put("user", key -> key.account().user());
    DIMENSIONS.put("project", key -> key.account().project());
    DIMENSIONS.put("model", key -> key.account().model());
  }

  private final PageQuery query;
  private final List<String> by;
  private final Optional<LocalDate> since;
  private final Optional<LocalDate> until;

  private UsageView(
      PageQuery query, List<String> by, Optional<LocalDate> since, Optional<LocalDate> until) {
    this.query = query;
    this.by = by;
    this.since = since;
    this.until = until;
  }

  /// Returns the view of a query.
  ///
  /// @throws MalformedQuery if a value cannot be read
  public static UsageView of(PageQuery query) throws MalformedQuery {
    return new UsageView(
        query,
        dimensions(query.value(PageParameters.BY).orElse("queue")),
        day(query, PageParameters.SINCE),
        day(query, PageParameters.UNTIL));
  }

  private static List<String> dimensions(String text) throws MalformedQuery {
    Set<String> wanted = new LinkedHashSet<>();
    List<String> known = List.copyOf(DIMENSIONS.keySet());
    for (String word : text.split(",", -1)) {
      if (!known.contains(word)) {
        throw new MalformedQuery(
            "The parameter \"by\" has \"%s\", which is not known.%s Known: %s."
                .formatted(
                    word.length() > 100 ? word.substring(0, 100) + "..." : word,
                    NearestWord.to(word, known).map(" Did you mean \"%s\"?"::formatted).orElse(""),
                    String.join(", ", known)));
      }
      wanted.add(word);
    }
    return List.copyOf(wanted);
  }

  private static Optional<LocalDate> day(PageQuery query, String name) throws MalformedQuery {
    Optional<String> text = query.value(name);
    try {
      Optional<LocalDate> day = text.map(LocalDate::parse);
      if (day.isEmpty() || isPlain(day.get())) {
        return day;
      }
    } catch (DateTimeParseException _) { // refused below
    }
    throw new MalformedQuery(
        "The parameter \"%s\" must be a day, such as 2026-11-27.".formatted(name));
  }

  private static boolean isPlain(LocalDate day) {
    return day.getYear() >= 1970 && day.getYear() <= 9999;
  }

  /// Adds the usage to an empty list.
  ///
  /// @param today the day of the image, in UTC
  /// @throws MalformedQuery if there are too many items, or no day
  /// @throws UnreadableUsage if not all usage could be read
  public ObjectNode addTo(ObjectNode json, UsageBook book, LocalDate today, PageView view)
      throws MalformedQuery, UnreadableUsage {
    LocalDate last = until.orElse(today);
    LocalDate first = since.orElse(last.minusDays(USUAL_DAYS - 1L));
    if (first.isAfter(last)) {
      throw new MalformedQuery("since (%s) is after until (%s).".formatted(first, last));
    }
    TreeMap<String, Long> sums = new TreeMap<>();
    long[] hidden = new long[1];
    var _ =
        book.each(
            first,
            last,
            (key, millis) -> {
              if (!view.sees(key.account().namespace())) {
                hidden[0] += millis;
              } else if (isWanted(key)) {
                add(sums, text(key), millis);
              }
            });
    if (sums.size() > MOST_ITEMS) {
      throw new MalformedQuery(
          "This usage has more than %,d items. Ask for fewer days, or with fewer words after by."
              .formatted(MOST_ITEMS));
    }
    json.put("since", first.toString()).put("until", last.toString());
    ArrayNode items = json.withArray("items");
    sums.forEach((text, millis) -> item(items.addObject(), text, millis));
    hours(json.putObject("total"), sums.values().stream().mapToLong(Long::longValue).sum());
    if (!view.isWhole()) {
      hours(json.putObject("others"), hidden[0]);
    }
    return addTimes(json, book);
  }

  /// Adds from when and up to when the book has counted.
  static ObjectNode addTimes(ObjectNode json, UsageBook book) throws UnreadableUsage {
    json.put("kept", book.isKept());
    book.begun().ifPresent(begun -> json.put("countedSince", begun.toString()));
    book.counted().ifPresent(counted -> json.put("countedUntil", counted.toString()));
    return json;
  }

  /// Adds to an item. Of too many items, the first one too many tells enough.
  private static void add(Map<String, Long> sums, String item, long millis) {
    if (sums.size() <= MOST_ITEMS || sums.containsKey(item)) {
      sums.merge(item, millis, Long::sum);
    }
  }

  private boolean isWanted(UsageKey key) {
    return query.allows(PageParameters.QUEUE, key.account().queue())
        && query.allows(PageParameters.NAMESPACE, key.account().namespace())
        && query.allows(PageParameters.USER, key.account().user());
  }

  private String text(UsageKey key) {
    List<String> words = new ArrayList<>();
    for (Map.Entry<String, Function<UsageKey, String>> each : DIMENSIONS.entrySet()) {
      if (by.contains(each.getKey())) {
        words.add(each.getValue().apply(key));
      }
    }
    return String.join("\t", words);
  }

  private void item(ObjectNode json, String text, long millis) {
    String[] words = text.split("\t", -1);
    int word = 0;
    for (String name : DIMENSIONS.keySet()) {
      if (by.contains(name)) {
        json.put(name, words[word++]);
      }
    }
    hours(json, millis);
  }

  /// Adds the rounded number for people, and the exact one, of which shares can be computed.
  private static void hours(ObjectNode json, long millis) {
    json.put("milliGpuHours", millis / MILLIS_PER_MILLI_HOUR).put("milliGpuSeconds", millis);
  }
}
