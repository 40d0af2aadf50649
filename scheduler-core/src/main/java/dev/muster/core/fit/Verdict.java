package dev.muster.core.fit;

/// What a rule answers: it fits, or why not.
public sealed interface Verdict {
  /// Nothing speaks against it.
  record Fits() implements Verdict {}

  /// Something does.
  record Vetoed(Veto veto) implements Verdict {}

  /// The one way to fit.
  Verdict FITS = new Fits();

  /// A refusal.
  static Verdict no(Veto veto) {
    return new Vetoed(veto);
  }
}
