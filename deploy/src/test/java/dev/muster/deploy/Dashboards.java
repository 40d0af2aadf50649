package dev.muster.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The shipped dashboards of Grafana, and the series that their queries name. A series is written
/// as `metric` and, for each label that a query uses, as `metric label`.
public final class Dashboards {
  private static final Pattern METRIC = Pattern.compile("\\b((?:muster|jvm)_[a-z_]+)(\\{[^}]*})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)(?:=~|!~|!=|=)");
  private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");

  /// Labels that Prometheus adds, or that a histogram always has.
  private static final Set<String> ALWAYS = Set.of("pod", "le");

  /// Chooses the leader among the replicas. It is joined by instance, so it has no other labels.
  private static final String JOINED = "muster_leading";

  private Dashboards() {}

  /// Returns the dashboards by file name.
  public static Map<String, JsonNode> all() throws IOException {
    Path folder = ShippedFiles.folder().resolve("manifests/monitoring/dashboards");
    Map<String, JsonNode> all = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        all.put(name, ShippedFiles.tree("manifests/monitoring/dashboards/" + name));
      }
    }
    return all;
  }

  /// Returns the queries of one dashboard.
  public static List<String> queries(JsonNode dashboard) {
    List<String> queries = new ArrayList<>();
    for (JsonNode panel : dashboard.path("panels")) {
      panel.path("targets").forEach(target -> queries.add(target.path("expr").asText()));
    }
    return queries;
  }

  /// Returns all series that queries name.
  public static Set<String> series() throws IOException {
    Set<String> series = new TreeSet<>();
    for (JsonNode dashboard : all().values()) {
      queries(dashboard).forEach(query -> addTo(series, query));
    }
    return series;
  }

  private static void addTo(Set<String> series, String query) {
    Set<String> grouped = new TreeSet<>();
    GROUPING
        .matcher(query)
        .results()
        .forEach(by -> grouped.addAll(List.of(by.group(1).split(",\\s*", -1))));
    Matcher metrics = METRIC.matcher(query);
    while (metrics.find()) {
      String name = metrics.group(1);
      series.add(name);
      Set<String> labels = new TreeSet<>(name.equals(JOINED) ? Set.of() : grouped);
      if (metrics.group(2) != null) {
        MATCHER.matcher(metrics.group(2)).results().forEach(label -> labels.add(label.group(1)));
      }
      labels.removeAll(ALWAYS);
      labels.forEach(label -> series.add(name + " " + label));
    }
  }

  /// Returns all series of a scrape, in the same form.
  public static Set<String> scraped(String text) {
    Set<String> series = new TreeSet<>();
    for (String line : text.lines().filter(line -> !line.startsWith("#")).toList()) {
      int end = line.indexOf('{');
      String name = line.substring(0, end < 0 ? line.indexOf(' ') : end);
      series.add(name);
      if (end >= 0) {
        Matcher labels = Pattern.compile("(\\w+)=\"").matcher(line);
        while (labels.find()) {
          series.add(name + " " + labels.group(1));
        }
      }
    }
    return series;
  }
}
