package dev.muster.server.kube.client;

import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds out whether an API server answers, and warns the admin if none does, at most once a
/// minute. Watches alone do not tell: if nothing changes, a watch is silent, too.
public final class ApiProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final Logger log = LoggerFactory.getLogger(ApiProbe.class);

  private final ApiCalls api;
  private final LogThrottle throttle = new LogThrottle();

  /// @param client client of the probe alone, so that a failed call is followed by a new connection
  public ApiProbe(KubernetesClient client) {
    this.api = new ApiCalls(client, PATIENCE, () -> PATIENCE);
  }

  /// Requests the version, which every API server serves.
  ///
  /// @return true if there was any answer, also a refusal
  public boolean look() {
    ApiCalls.Answer answer = api.get("/version");
    boolean answered = answer.code() != 0;
    if (!answered && !Thread.currentThread().isInterrupted() && throttle.isNew("away")) {
      log.warn(
          "The API server {} does not answer: {}. No decisions are made until it does.",
          api.address(),
          answer.body());
    }
    return answered;
  }
}
