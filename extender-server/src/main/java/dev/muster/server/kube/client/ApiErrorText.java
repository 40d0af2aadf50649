package dev.muster.server.kube.client;

import dev.muster.policy.file.FailureText;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// Describes errors of calls to the API server, with a remedy.
public final class ApiErrorText {
  private ApiErrorText() {}

  /// Describes why a list failed.
  ///
  /// @param address address of the API server
  public static String of(KubernetesClientException failed, String address) {
    String said = said(failed);
    if (failed.getCode() <= 0) {
      return noAnswer(address, failed);
    }
    return switch (failed.getCode()) {
      case 401 ->
          "the API server %s rejects the credentials (%s). The token or certificate in the kubeconfig may have expired."
              .formatted(address, said);
      case 403 ->
          "access denied (%s). Required are the verbs get and list on nodes, pods, priority classes, PodGroups and all of resource.k8s.io."
              .formatted(said);
      case 429, 500, 502, 503, 504 ->
          "the API server %s answered %s. Try again later.".formatted(address, said);
      default -> "the server %s answered %s. It may not be an API server.".formatted(address, said);
    };
  }

  private static String noAnswer(String address, Throwable failed) {
    return "the API server %s does not answer: %s.".formatted(address, reason(failed));
  }

  /// Describes a connection error. For a refused connection and an unknown host, the JDK only gives
  /// the class of the exception.
  static String reason(Throwable failed) {
    var causes = Stream.iterate(failed, Objects::nonNull, Throwable::getCause).toList().reversed();
    for (Throwable cause : causes) {
      switch (cause) {
        case UnresolvedAddressException _, UnknownHostException _ -> {
          return "unknown host name";
        }
        case ConnectException late when String.valueOf(late.getMessage()).contains("timed out") -> {
          return "timeout";
        }
        case ConnectException _ -> {
          return "connection refused";
        }
        case HttpTimeoutException _, TimeoutException _ -> {
          return "timeout";
        }
        default -> {}
      }
    }
    if (causes.stream().anyMatch(ApiErrorText::isClosed)) {
      return "connection closed";
    }
    return FailureText.of(causes.getFirst());
  }

  /// True if the connection worked, but the answer did not begin in time.
  static boolean isLate(Throwable failed) {
    return Stream.iterate(failed, Objects::nonNull, Throwable::getCause)
        .anyMatch(cause ->
            cause instanceof HttpTimeoutException
                && !(cause instanceof HttpConnectTimeoutException));
  }

  /// True if the other side closed the connection. The JDK also gives this as the cause of a
  /// refused one.
  private static boolean isClosed(Throwable cause) {
    return cause instanceof ClosedChannelException || cause instanceof EOFException;
  }

  /// Returns the status and message of the API server, or the connection error if it did not
  /// answer.
  public static String brief(Throwable failed) {
    return Stream.iterate(failed, Objects::nonNull, Throwable::getCause)
        .filter(KubernetesClientException.class::isInstance)
        .map(KubernetesClientException.class::cast)
        .filter(refused -> refused.getCode() > 0)
        .findFirst()
        .map(ApiErrorText::said)
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
