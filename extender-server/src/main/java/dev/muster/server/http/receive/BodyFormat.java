package dev.muster.server.http.receive;

import dev.muster.policy.yaml.ShownValue;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What the headers of a request say about the format of its body.
public final class BodyFormat {
  private static final Set<String> PLAIN = Set.of("identity", "utf-8", "utf8", "us-ascii");
  private static final Pattern CHARSET =
      Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\";]*)", Pattern.CASE_INSENSITIVE);

  private BodyFormat() {}

  /// True if the body is JSON in UTF-8 and not compressed.
  public static boolean isPlainJson(HttpServerRequest request) {
    return isJson(request) && encoding(request).isEmpty();
  }

  /// Returns the problem of a body that is not plain JSON, with the remedy.
  public static String problem(HttpServerRequest request) {
    Optional<String> encoding = encoding(request);
    return isJson(request) && encoding.isPresent()
        ? "The body has the encoding %s. Send JSON in UTF-8, not compressed."
            .formatted(ShownValue.text(encoding.get()))
        : "The header Content-Type must be application/json.";
  }

  private static boolean isJson(HttpServerRequest request) {
    String media = type(request).split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return media.equals("application/json");
  }

  private static String type(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type == null ? "" : type;
  }

  /// Returns the compression or the charset of a body that is not plain UTF-8.
  private static Optional<String> encoding(HttpServerRequest request) {
    Stream<String> packings = request.headers().getAll(HttpHeaders.CONTENT_ENCODING).stream();
    Stream<String> charsets = CHARSET.matcher(type(request)).results().map(found -> found.group(1));
    return Stream.concat(packings, charsets)
        .filter(each -> !PLAIN.contains(each.strip().toLowerCase(Locale.ROOT)))
        .findFirst();
  }
}
