package dev.muster.server.kube.client;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Repeats calls that must not fail on the first error.
///
/// @param pauses wait before each retry
/// @param rest function that waits; false if it was interrupted
public record Retries(List<Duration> pauses, Predicate<Duration> rest) {
  /// Retries over about five minutes, the time that an API server is away during its upgrade.
  public static final Retries PATIENT =
      new Retries(
          Stream.of(1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30, 30)
              .map(Duration::ofSeconds)
              .toList());

  /// A single call: the caller decides if it is repeated.
  public static final Retries NONE = new Retries(List.of());

  public Retries(List<Duration> pauses) {
    this(pauses, Retries::sleep);
  }

  /// Returns these retries with another way to wait.
  public Retries resting(Predicate<Duration> otherwise) {
    return new Retries(pauses, otherwise);
  }

  /// Calls until the answer is final or no retry is left, and returns the last answer.
  public ApiCalls.Answer until(Supplier<ApiCalls.Answer> call) {
    ApiCalls.Answer answer = call.get();
    for (Duration pause : pauses) {
      if (!answer.isPassing() || !rest.test(pause)) {
        break;
      }
      answer = call.get();
    }
    return answer;
  }

  public static boolean sleep(Duration pause) {
    try {
      Thread.sleep(pause);
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
