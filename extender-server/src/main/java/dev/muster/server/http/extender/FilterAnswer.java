package dev.muster.server.http.extender;

import java.util.Optional;

/// What a filter call is answered.
///
/// @param passing the offered nodes that pass, of the kind that was offered; absent with an error
/// @param refusal why the others do not, said once: kube-scheduler shows each node's text to the
///   user
/// @param error why the question cannot be answered; empty when it was
public record FilterAnswer(
    Optional<OfferedNodes> passing, Optional<Refusal> refusal, String error) {
  /// A node that does not pass, for a reason that kube-scheduler's own preemption cannot cure.
  ///
  /// @param node one offered node
  /// @param reason the same bytes for the same reason: a text that changes wakes the pod at once,
  ///   for ever
  public record Refusal(String node, String reason) {}

  public static FilterAnswer passing(OfferedNodes nodes) {
    return new FilterAnswer(Optional.of(nodes), Optional.empty(), "");
  }

  /// Nothing passes; the reason stands beside the first node offered, if any.
  public static FilterAnswer refusing(OfferedNodes offer, String reason) {
    return new FilterAnswer(
        Optional.of(offer.none()), offer.first().map(node -> new Refusal(node, reason)), "");
  }

  public static FilterAnswer error(String problem) {
    return new FilterAnswer(Optional.empty(), Optional.empty(), problem);
  }
}
