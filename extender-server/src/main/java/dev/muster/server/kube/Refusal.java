package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// Describes errors of calls to the API server, with a remedy.
final class Refusal {
  private Refusal() {}

  /// Describes why a list failed.
  ///
  /// @param address address of the API server
  static String of(KubernetesClientException failed, String address) {
    String said = said(failed);
    if (failed.getCode() <= 0) {
      return noAnswer(address, failed);
    }
    return switch (failed.getCode()) {
      case 401 ->
          "the API server %s does not know this user (%s). Maybe the token or certificate of the kubeconfig is over."
              .formatted(address, said);
      case 403 ->
          "this user may not (%s). Maybe give it the verbs get and list on nodes, pods, priority classes, PodGroups and all of resource.k8s.io."
              .formatted(said);
      case 429, 500, 502, 503, 504 ->
          "the API server %s answered %s. Maybe it is in trouble; try again."
              .formatted(address, said);
      default ->
          "the API server %s answered %s. Maybe the address is of something else."
              .formatted(address, said);
    };
  }

  private static String noAnswer(String address, Throwable failed) {
    return "the API server %s gives no answer: %s. Maybe it is down, or the kubeconfig names another address."
        .formatted(address, reason(failed));
  }

  /// Describes a connection error. For a refused connection and an unknown host, the JDK only gives
  /// the class of the exception.
  static String reason(Throwable failed) {
    var causes = Stream.iterate(failed, Objects::nonNull, Throwable::getCause).toList().reversed();
    for (Throwable cause : causes) {
      switch (cause) {
        case UnresolvedAddressException _, UnknownHostException _ -> {
          return "the name of its host is not known";
        }
        case ConnectException late when String.valueOf(late.getMessage()).contains("timed out") -> {
          return "nothing came in time";
        }
        case ConnectException _ -> {
          return "it refuses the connection";
        }
        case HttpTimeoutException _, TimeoutException _ -> {
          return "nothing came in time";
        }
        default -> {}
      }
    }
    Throwable deepest = causes.getFirst();
    return Objects.requireNonNullElse(deepest.getMessage(), deepest.getClass().getSimpleName());
  }

  /// Returns the status and message of the API server, or the connection error if it did not
  /// answer.
  static String brief(Throwable failed) {
    return Stream.iterate(failed, Objects::nonNull, Throwable::getCause)
        .filter(KubernetesClientException.class::isInstance)
        .map(KubernetesClientException.class::cast)
        .filter(refused -> refused.getCode() > 0)
        .findFirst()
        .map(Refusal::said)
        .orElseGet(() -> reason(failed));
  }

  private static String said(KubernetesClientException failed) {
    String message =
        Optional.ofNullable(failed.getStatus())
            .map(Status::getMessage)
            .orElse(String.valueOf(failed.getMessage()));
    return failed.getCode() + " " + message;
  }
}
