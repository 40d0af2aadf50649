package dev.muster.core.fit;

/// The answer of a rule: the node fits, or a veto.
public sealed interface Verdict {
  /// The rule has no objection.
  record Fits() implements Verdict {}

  /// The rule refuses the node.
  record Vetoed(Veto veto) implements Verdict {}

  /// The shared answer of a rule without objection.
  Verdict FITS = new Fits();

  /// Returns a refusal.
  static Verdict no(Veto veto) {
    return new Vetoed(veto);
  }
}
