package dev.muster.policy.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/// Where the OpenTelemetry traces of gangs are sent.
///
/// @param endpoint address of a receiver of OTLP over HTTP, without the path of traces; empty for
///   none
public record TracingFields(String endpoint) {
  private static final String PATH = "/v1/traces";
  private static final String EXAMPLE = " Write it like http://otel-collector.monitoring:4318.";

  public TracingFields {
    check(endpoint);
  }

  /// Checks the address of a receiver. The empty text means none.
  ///
  /// @throws IllegalArgumentException naming the text, if it is no such address
  static void check(String text) {
    if (!text.isEmpty()) {
      mistake(text)
          .ifPresent(mistake -> {
            throw new IllegalArgumentException("\"%s\" %s".formatted(text, mistake));
          });
    }
  }

  private static Optional<String> mistake(String text) {
    URI address;
    try {
      address = new URI(text);
    } catch (URISyntaxException _) {
      return Optional.of("is not an address." + EXAMPLE);
    }
    boolean web = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
    if (!web || address.getHost() == null || address.getPort() > 65_535) {
      return Optional.of("is not an address of HTTP." + EXAMPLE);
    }
    if (address.getUserInfo() != null || address.getQuery() != null || text.contains("#")) {
      return Optional.of("has more than a host, a port and a path." + EXAMPLE);
    }
    return without(address.getPath()).endsWith(PATH)
        ? Optional.of("ends with %s, which Muster adds itself. Leave it out.".formatted(PATH))
        : Optional.empty();
  }

  private static String without(String path) {
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  /// Returns the address to which traces are sent.
  public Optional<URI> receiver() {
    return endpoint.isEmpty()
        ? Optional.empty()
        : Optional.of(URI.create(without(endpoint) + PATH));
  }
}
