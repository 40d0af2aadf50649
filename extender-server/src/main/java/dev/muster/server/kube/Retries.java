package dev.muster.server.kube;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Calls that must not be given up at the first trouble.
///
/// @param pauses how long to wait before each further try
/// @param rest waits so long; false when that was interrupted
record Retries(List<Duration> pauses, Predicate<Duration> rest) {
  /// About five minutes in all: as long as an API server is away while it is upgraded.
  static final Retries PATIENT =
      new Retries(
          Stream.of(1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30, 30)
              .map(Duration::ofSeconds)
              .toList());

  /// Once only: somebody else decides whether to call again.
  static final Retries NONE = new Retries(List.of());

  Retries(List<Duration> pauses) {
    this(pauses, Retries::sleep);
  }

  /// The same, waiting in another way.
  Retries resting(Predicate<Duration> otherwise) {
    return new Retries(pauses, otherwise);
  }

  /// Calls until the answer is final, or no try is left; gives the last answer.
  Api.Answer until(Supplier<Api.Answer> call) {
    Api.Answer answer = call.get();
    for (Duration pause : pauses) {
      if (!answer.isPassing() || !rest.test(pause)) {
        break;
      }
      answer = call.get();
    }
    return answer;
  }

  static boolean sleep(Duration pause) {
    try {
      Thread.sleep(pause);
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
