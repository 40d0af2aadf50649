package dev.muster.core.arch.bad;

import java.io.File;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One nested class for each forbidden thing of the core, and a harmless one.
@SuppressWarnings({"JavaTimeDefaultTimeZone", "TimeInStaticInitializer", "unused"})
public final class Impure {
  private Impure() {}

  static final class ReadsFile {
    final File file = new File("policy.yaml");
  }

  static final class Prints {
    void run() {
      System.out.println();
    }
  }

  static final class Locks {
    final ReentrantLock lock = new ReentrantLock();
  }

  static final class StartsThread {
    final Runnable start = new Thread()::start;
  }

  static final class Parallel {
    long run(List<String> names) {
      return names.parallelStream().count();
    }
  }

  static final class AsksInstant {
    final Instant now = Instant.now();
  }

  static final class AsksClock {
    final Clock clock = Clock.systemUTC();
  }

  static final class AsksNanos {
    final long nanos = System.nanoTime();
  }

  static final class AsksEnvironment {
    final String home = System.getProperty("user.home", "");
  }

  static final class Draws {
    final Random random = new Random(7);
  }

  static final class DrawsUuid {
    final UUID id = UUID.randomUUID();
  }

  static final class Shuffles {
    void run(List<String> names) {
      Collections.shuffle(names);
    }
  }

  static final class Hashes {
    final Map<String, String> map = new HashMap<>();
  }

  static final class MapOf {
    final Map<String, Integer> map = Map.of("a", 1, "b", 2);
  }

  static final class SetCopy {
    final Function<List<String>, Set<String>> copy = Set::copyOf;
  }

  static final class Groups {
    Object run(Stream<String> names) {
      return names.collect(Collectors.groupingBy(String::length));
    }
  }

  static final class ToSet {
    Object run(Stream<String> names) {
      return names.collect(Collectors.toSet());
    }
  }

  record Doubles(double share) {}

  static final class ReturnsFloat {
    float[] run() {
      return new float[0];
    }
  }

  static final class UsesLibrary {
    final org.assertj.core.data.Offset<Long> offset = org.assertj.core.data.Offset.offset(1L);
  }

  static final class Logs {
    void run(java.util.logging.Logger log) {
      log.info("");
    }
  }

  /// A class that breaks no rule.
  static final class Innocent {
    final Map<String, Integer> none = Map.of();

    Object run(Stream<String> names) {
      return names.collect(
          Collectors.groupingBy(String::length, java.util.TreeMap::new, Collectors.toList()));
    }
  }
}
