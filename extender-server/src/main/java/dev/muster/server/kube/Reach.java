package dev.muster.server.kube;

import dev.muster.server.logging.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the admin that no API server answers: soon, since the client tries for long before it
/// gives up, and no more than once a minute.
final class Reach {
  private static final Logger log = LoggerFactory.getLogger(Reach.class);

  private final Api api;
  private final Complaints complaints = new Complaints();

  Reach(Api api) {
    this.api = api;
  }

  /// Asks for the version, which every API server tells. Any answer will do, a refusal too.
  void look() {
    Api.Answer answer = api.get("/version");
    if (answer.code() == 0 && !Thread.currentThread().isInterrupted() && complaints.isNew("away")) {
      log.warn(
          "The API server {} gives no answer: {}. Nothing is decided until it does. Maybe it is down, or the kubeconfig names another address.",
          api.address(),
          answer.body());
    }
  }
}
