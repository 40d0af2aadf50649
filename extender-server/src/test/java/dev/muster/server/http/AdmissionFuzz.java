package dev.muster.server.http;

import dev.muster.server.http.PodWebhook.Task;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.ReviewWriter.Refusal;
import java.util.Map;

/// Fuzz target: an AdmissionReview. Every body is answered, or malformed. Its first bytes can be
/// refused.
public final class AdmissionFuzz {
  private static final PodWebhook WEBHOOK =
      new PodWebhook(ServerImages.SCOPE, new WebhookOptions(true, true, _ -> Map.of()), _ -> false);

  private AdmissionFuzz() {}

  public static void fuzzerTestOneInput(byte[] body) {
    for (Task task : Task.values()) {
      var _ = WEBHOOK.unread(task, body, Refusal.forNow("x"));
      try {
        var _ = WEBHOOK.review(task, body);
      } catch (MalformedRequest _) {
        // what it is for
      }
    }
  }
}
