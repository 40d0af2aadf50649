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
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;

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

  /// Where usage is read, as [UsageBook#each].
  @FunctionalInterface
  public interface Source {
    int each(LocalDate since, LocalDate until, ObjLongConsumer<UsageKey> visitor)
        throws UnreadableUsage;
  }

  /// What a view adds up.
  ///
  /// @param hidden sum of what the caller may not see; empty if it sees all
  public record Sums(
      UsageView of,
      LocalDate since,
      LocalDate until,
      Map<String, Long> items,
      OptionalLong hidden) {
    /// Adds the usage to an empty list.
    ///
    /// @throws MalformedQuery if there are too many items
    public ObjectNode addTo(ObjectNode json, UsageBook book)
        throws MalformedQuery, UnreadableUsage {
      if (items.size() > MOST_ITEMS) {
        throw new MalformedQuery(
            "This usage has more than %,d items. Ask for fewer days, or with fewer words after by."
                .formatted(MOST_ITEMS));
      }
      json.put("since", since.toString()).put("until", until.toString());
      ArrayNode list = json.withArray("items");
      items.forEach((text, millis) -> of.item(list.addObject(), text, millis));
      hours(json.putObject("total"), items.values().stream().mapToLong(Long::longValue).sum());
      hidden.ifPresent(millis -> hours(json.putObject("others"), millis));
      return addTimes(json, book);
    }
  }

  /// Adds up what these views need, in one reading. They differ only in what they add up by.
  ///
  /// @param today the day of the image, in UTC
  /// @return the sums of each view, in their order
  /// @throws MalformedQuery if there is no day
  /// @throws UnreadableUsage if not all usage could be read
  public static List<Sums> read(
      List<UsageView> views, Source source, LocalDate today, PageView view)
      throws MalformedQuery, UnreadableUsage {
    UsageView asked = views.getFirst();
    LocalDate last = asked.until.orElse(today);
    LocalDate first = asked.since.orElse(last.minusDays(USUAL_DAYS - 1L));
    if (first.isAfter(last)) {
      throw new MalformedQuery("since (%s) is after until (%s).".formatted(first, last));
    }
    List<Map<String, Long>> items =
        views.stream().<Map<String, Long>>map(_ -> new TreeMap<>()).toList();
    long[] hidden = new long[1];
    var _ =
        source.each(
            first,
            last,
            (key, millis) -> {
              if (!view.sees(key.account().namespace())) {
                hidden[0] += millis;
              } else if (asked.isWanted(key)) {
                for (int i = 0; i < views.size(); i++) {
                  add(items.get(i), views.get(i).text(key), millis);
                }
              }
            });
    OptionalLong others = view.isWhole() ? OptionalLong.empty() : OptionalLong.of(hidden[0]);
    List<Sums> sums = new ArrayList<>();
    for (int i = 0; i < views.size(); i++) {
      sums.add(new Sums(views.get(i), first, last, items.get(i), others));
    }
    return sums;
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
