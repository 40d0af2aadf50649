package dev.muster.server.http;

/// The words on pods that the extender and the webhook both read.
final class PodKeys {
  static final String DEFAULT_SCHEDULER = "default-scheduler";
  static final String POD_GROUP_LABEL = "scheduling.x-k8s.io/pod-group";
  static final String VOLCANO_GROUP = "scheduling.k8s.io/group-name";
  static final String VOLCANO_GROUP_OLD = "scheduling.volcano.sh/group-name";
  static final String GATE = "muster.dev/gang";
  static final String GATE_SWITCH = "muster.dev/gate";
  static final String HIDE_SWITCH = "muster.dev/hide-gpus";
  static final String DISABLED = "disabled";

  private PodKeys() {}

  /// Whether a Kubernetes quantity is more than zero: some digit before any exponent is not 0.
  static boolean isPositive(String quantity) {
    for (int i = 0; i < quantity.length(); i++) {
      char c = quantity.charAt(i);
      if (c >= '1' && c <= '9') {
        return quantity.charAt(0) != '-';
      }
      if (c == 'e' || c == 'E') {
        return false;
      }
    }
    return false;
  }
}
