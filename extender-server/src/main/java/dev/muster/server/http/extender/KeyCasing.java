package dev.muster.server.http.extender;

/// The spelling of the extender types' keys in a call. Keys are read in any case and answered in
/// the caller's own.
public enum KeyCasing {
  /// Go's field names, `NodeNames`: kube-scheduler 1.18 and newer.
  GO,
  /// A small first letter, `nodenames`: kube-scheduler up to 1.17, which also knows fewer fields.
  LEGACY;

  /// Returns the casing of a caller that writes this key.
  static KeyCasing of(String key) {
    return !key.isEmpty() && Character.isLowerCase(key.charAt(0)) ? LEGACY : GO;
  }
}
