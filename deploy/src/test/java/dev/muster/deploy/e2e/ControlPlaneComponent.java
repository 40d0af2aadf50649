package dev.muster.deploy.e2e;

/// The processes of a test control plane, in the order in which they are started.
public enum ControlPlaneComponent {
  ETCD("etcd"),
  API_SERVER("kube-apiserver"),
  SCHEDULER("kube-scheduler"),
  CONTROLLERS("kube-controller-manager"),
  KUBELETS("kubelets");

  private final String command;

  ControlPlaneComponent(String command) {
    this.command = command;
  }

  /// The subcommand of the control-plane binary, which also names the log file.
  public String command() {
    return command;
  }
}
