package dev.muster.server.kube.client;

import dev.muster.server.logging.LogThrottle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Warns the admin if no API server answers, at most once a minute. The client itself retries for a
/// long time before it reports an error.
public final class ApiProbe {
  private static final Logger log = LoggerFactory.getLogger(ApiProbe.class);

  private final ApiCalls api;
  private final LogThrottle throttle = new LogThrottle();

  public ApiProbe(ApiCalls api) {
    this.api = api;
  }

  /// Requests the version, which every API server serves. Any answer counts, also a refusal.
  public void look() {
    ApiCalls.Answer answer = api.get("/version");
    if (answer.code() == 0 && !Thread.currentThread().isInterrupted() && throttle.isNew("away")) {
      log.warn(
          "The API server {} does not answer: {}. No decisions are made until it does.",
          api.address(),
          answer.body());
    }
  }
}
