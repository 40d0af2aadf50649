package dev.muster.deploy.e2e;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Numbers of requests so far, by kind of request.
///
/// @param counts for example `PATCH pods/status 200` or `filter pass`
record Requests(Map<String, Long> counts) {
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)\\{(.*)} ([0-9.e+]+)$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  /// Writes at the API server, from its metrics; its own and renewed Leases left out.
  static Requests written(String metrics) {
    Requests all = atApiServer(metrics);
    all.counts
        .keySet()
        .removeIf(call -> call.matches("(GET|LIST|WATCH|CONNECT) .*|.* (leases|endpoint).*"));
    return all;
  }

  /// Lists that were asked of the API server, from its metrics.
  static Requests listed(String metrics) {
    Requests all = atApiServer(metrics);
    all.counts.keySet().removeIf(call -> !call.startsWith("LIST "));
    return all;
  }

  private static Requests atApiServer(String metrics) {
    return read(
        metrics,
        "apiserver_request_total",
        labels ->
            "%s %s/%s %s"
                .formatted(
                    labels.get("verb"),
                    labels.get("resource"),
                    labels.get("subresource"),
                    labels.get("code"))
                .replace("/ ", " "));
  }

  /// Returns the requests of kube-scheduler and the webhook to Muster, from its metrics.
  static Requests toMuster(String metrics) {
    Requests all =
        read(
            metrics,
            "muster_http_request_duration_seconds_count",
            labels -> labels.get("endpoint") + " " + labels.get("outcome"));
    all.counts.keySet().removeIf(call -> call.matches("(metrics|readyz|healthz|livez).*"));
    return all;
  }

  private static Requests read(
      String metrics, String name, Function<Map<String, String>, String> key) {
    var counts = new TreeMap<String, Long>();
    SAMPLE
        .matcher(metrics)
        .results()
        .filter(sample -> sample.group(1).equals(name))
        .forEach(sample ->
            counts.merge(
                key.apply(labels(sample.group(2))),
                (long) Double.parseDouble(sample.group(3)),
                Long::sum));
    return new Requests(counts);
  }

  private static Map<String, String> labels(String text) {
    return LABEL
        .matcher(text)
        .results()
        .collect(Collectors.toMap(label -> label.group(1), label -> label.group(2)));
  }

  /// Returns the requests since an earlier measurement, without zero counts.
  Requests since(Requests earlier) {
    var more = new TreeMap<>(counts);
    earlier.counts.forEach((call, count) -> more.merge(call, -count, Long::sum));
    more.values().removeIf(count -> count == 0);
    return new Requests(more);
  }
}
