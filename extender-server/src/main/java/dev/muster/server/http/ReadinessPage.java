package dev.muster.server.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.policy.preemption.load.PolicyWatch;
import java.nio.charset.StandardCharsets;

/// The page `/readyz`: the readiness of the server and the status of its policy files.
record ReadinessPage(HttpDependencies dependencies) {
  /// Returns the page, with status 503 if the server is not ready.
  HttpAnswer answer() {
    boolean synced = dependencies.image().get().cluster().synced();
    boolean able = dependencies.readiness().decides().getAsBoolean();
    boolean ready = synced && able;
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("ready", ready).put("synced", synced).put("informers", able);
    dependencies.policy().ifPresent(policy -> addPolicy(policy.get(), json.putObject("policy")));
    byte[] body = (json + "\n").getBytes(StandardCharsets.UTF_8);
    return ready ? HttpAnswer.json(body) : HttpAnswer.json(body).withStatus(503).as("refused");
  }

  /// Adds the policy status. An invalid policy file does not stop the service: the last valid one
  /// stays in force.
  private static void addPolicy(PolicyWatch.Status policy, ObjectNode json) {
    json.put("revision", policy.revision())
        .put("loadedAt", policy.loadedAt().toString())
        .put("checkedAt", policy.checkedAt().toString());
    ArrayNode problems = json.putArray("problems");
    policy.problems().forEach(problem -> problems.add(problem.render()));
  }
}
