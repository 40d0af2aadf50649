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

/// Words for why the API server did not do as asked, with a remedy that fits.
final class Refusal {
  private Refusal() {}

  /// Why a list failed.
  ///
  /// @param address of the API server
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

  /// What went wrong on the way; of a refused connection and an unknown name the JDK gives only the
  /// class.
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

  /// The status and what the API server said; where it gave no answer, what went wrong on the way.
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
