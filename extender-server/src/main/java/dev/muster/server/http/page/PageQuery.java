package dev.muster.server.http.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.policy.file.NearestWord;
import java.net.URLEncoder;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The parameters of a page, as its URL gives them. A page refuses parameters that it does not
/// know, since a filter with a slip of the pen would otherwise show everything.
///
/// @param values value of each given parameter
public record PageQuery(SortedMap<String, String> values) {
  /// No parameter is given.
  public static final PageQuery NONE = new PageQuery(Collections.emptySortedMap());

  private static final int LONGEST = 100;

  public PageQuery {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
  }

  /// Returns the query of these parameters.
  ///
  /// @param known parameters of the page
  /// @throws MalformedQuery if one is not known, or is given twice
  public static PageQuery of(Iterable<Map.Entry<String, String>> parameters, PageParameters known)
      throws MalformedQuery {
    SortedMap<String, String> values = new TreeMap<>();
    for (Map.Entry<String, String> parameter : parameters) {
      String name = parameter.getKey();
      if (!known.names().contains(name)) {
        throw unknown(name, known.names());
      }
      if (values.put(name, parameter.getValue()) != null) {
        throw new MalformedQuery("The parameter \"%s\" is given twice.".formatted(name));
      }
    }
    return new PageQuery(values);
  }

  private static MalformedQuery unknown(String name, List<String> known) {
    String brief = name.length() > LONGEST ? name.substring(0, LONGEST) + "..." : name;
    if (known.isEmpty()) {
      return new MalformedQuery(
          "The parameter \"%s\" is not known. This page has no parameters.".formatted(brief));
    }
    return new MalformedQuery(
        "The parameter \"%s\" is not known.%s Known: %s."
            .formatted(
                brief,
                NearestWord.to(brief, known).map(" Did you mean \"%s\"?"::formatted).orElse(""),
                String.join(", ", known)));
  }

  /// Returns this query with another value of a parameter.
  public PageQuery with(String name, String value) {
    SortedMap<String, String> other = new TreeMap<>(values);
    other.put(name, value);
    return new PageQuery(other);
  }

  /// Returns the value of a parameter.
  Optional<String> value(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /// True if the parameter is not given, or equals the text.
  boolean allows(String name, String text) {
    return value(name).filter(wanted -> !wanted.equals(text)).isEmpty();
  }

  /// Returns a text that is equal for equal queries only.
  public String key() {
    return values.entrySet().stream()
        .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), UTF_8))
        .collect(Collectors.joining("&", values.isEmpty() ? "" : "?", ""));
  }
}
