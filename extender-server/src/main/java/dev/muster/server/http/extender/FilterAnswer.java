package dev.muster.server.http.extender;

import java.util.Optional;

/// The answer to a filter call.
///
/// @param passing offered nodes that pass, of the kind that was offered; absent with an error
/// @param refusal reason for the other nodes, stated once, since kube-scheduler shows each node's
///   text to the user
/// @param error reason why the request cannot be answered; empty when it was
public record FilterAnswer(
    Optional<OfferedNodes> passing, Optional<Refusal> refusal, String error) {
  /// A node that does not pass, for a reason that kube-scheduler's own preemption cannot cure.
  ///
  /// @param node one offered node
  /// @param reason byte-equal text for an equal reason: a changed text wakes the pod at once, in an
  ///   endless loop
  public record Refusal(String node, String reason) {}

  public static FilterAnswer passing(OfferedNodes nodes) {
    return new FilterAnswer(Optional.of(nodes), Optional.empty(), "");
  }

  /// Returns an answer in which no node passes. The reason is attached to the first offered node,
  /// if any.
  public static FilterAnswer refusing(OfferedNodes offer, String reason) {
    return new FilterAnswer(
        Optional.of(offer.none()), offer.first().map(node -> new Refusal(node, reason)), "");
  }

  public static FilterAnswer error(String problem) {
    return new FilterAnswer(Optional.empty(), Optional.empty(), problem);
  }
}
