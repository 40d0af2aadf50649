package dev.muster.server.http.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.ToLongFunction;

/// Answers to questions, kept for a while. A question is asked once, however many threads need its
/// answer at one time. Failures are not kept: then the next thread that waits asks. An answer that
/// is computed from others has the origin of the oldest one.
///
/// @param <K> questions
/// @param <V> answers
final class KeptAnswers<K, V> {
  private final Cache<K, V> kept;
  private final ConcurrentMap<K, CountDownLatch> underWay = new ConcurrentHashMap<>();

  /// @param most number of answers that are kept
  /// @param time time for which an answer is kept, from its origin
  /// @param since origin of an answer, by the clock
  /// @param clock clock of the origins
  KeptAnswers(int most, Duration time, ToLongFunction<V> since, Ticker clock) {
    this.kept =
        Caffeine.newBuilder()
            .maximumSize(most)
            .ticker(clock)
            .expireAfter(
                Expiry.<K, V>creating(
                    (_, answer) -> time.minusNanos(clock.read() - since.applyAsLong(answer))))
            .build();
  }

  /// Asks a question.
  @FunctionalInterface
  interface Asking<V> {
    V ask() throws InterruptedException;
  }

  /// Returns the answer to the question.
  ///
  /// @param asking asks it, unless another thread has asked
  V get(K question, Asking<V> asking) throws InterruptedException {
    while (true) {
      V known = kept.getIfPresent(question);
      if (known != null) {
        return known;
      }
      CountDownLatch own = new CountDownLatch(1);
      CountDownLatch other = underWay.putIfAbsent(question, own);
      if (other == null) {
        return asked(question, asking, own);
      }
      other.await();
    }
  }

  private V asked(K question, Asking<V> asking, CountDownLatch over) throws InterruptedException {
    try {
      V known = kept.getIfPresent(question); // the thread before may just have ended
      if (known != null) {
        return known;
      }
      V answer = asking.ask();
      kept.put(question, answer);
      return answer;
    } finally {
      underWay.remove(question);
      over.countDown();
    }
  }
}
