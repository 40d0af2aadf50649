package dev.muster.server.http.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// The description of the API for programs, in OpenAPI 3.1. Tests compare it with the answers.
public final class ApiDescription {
  private static final String RESOURCE = "openapi-v1.json";

  private ApiDescription() {}

  /// Returns the description as JSON.
  public static byte[] bytes() {
    try (InputStream in = ApiDescription.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is missing from the jar of Muster.");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
