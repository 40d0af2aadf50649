package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.state.State;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What the page about the server says, besides its image.
///
/// @param release version of the program; empty if unknown
/// @param leads true if this process is the leader
public record ServerFacts(String release, BooleanSupplier leads) {
  /// A server without replicas.
  public static final ServerFacts ALONE = new ServerFacts("", () -> true);

  /// Adds the facts to an empty page.
  ///
  /// @param isReady true if the server can decide
  /// @param policy revision of the preemption policy, if there is one
  public ObjectNode addTo(
      ObjectNode json, State state, boolean isReady, Optional<Supplier<String>> policy) {
    if (!release.isEmpty()) {
      json.put("release", release);
    }
    json.put("leading", leads.getAsBoolean()).put("ready", isReady);
    policy.ifPresent(revision -> json.putObject("policy").put("revision", revision.get()));
    json.putObject("counts")
        .put("nodes", state.cluster().nodes().size())
        .put("gangs", state.cluster().gangs().size())
        .put("waiting", state.waiting().standing().size());
    return json;
  }
}
