package dev.muster.deploy.client;

/// The Service of a Muster, as `NAMESPACE/NAME`. The port is that of HTTPS.
///
/// @param namespace namespace of Muster
/// @param name name of the Service, and of the ServiceAccount
record ServiceName(String namespace, String name) {
  private static final int PORT = 443;

  /// Reads `NAMESPACE/NAME`.
  ///
  /// @throws IllegalArgumentException if the text has another form
  static ServiceName parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 2 || parts[0].isBlank() || parts[1].isBlank()) {
      throw new IllegalArgumentException(
          "--service has the form NAMESPACE/NAME, not \"%s\".".formatted(text));
    }
    return new ServiceName(parts[0], parts[1]);
  }

  /// Returns the path at the API server below which the pages are.
  String proxyPath() {
    return "/api/v1/namespaces/%s/services/https:%s:%d/proxy".formatted(namespace, name, PORT);
  }

  /// Returns the path at the API server that gives tokens of the ServiceAccount.
  String tokenPath() {
    return "/api/v1/namespaces/%s/serviceaccounts/%s/token".formatted(namespace, name);
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
