package dev.muster.core.admission;

import dev.muster.core.cluster.Gang;
import java.time.Instant;
import java.util.Comparator;

/// Whose turn comes first: a total order of gangs, so that equal facts give equal decisions.
@FunctionalInterface
public interface GangOrder extends Comparator<Gang> {
  /// Higher priority first, then the older, then by name.
  GangOrder PRIORITY_THEN_AGE =
      (a, b) -> {
        int byPriority = Integer.compare(b.priority(), a.priority());
        int byAge = byPriority != 0 ? byPriority : age(a).compareTo(age(b));
        return byAge != 0 ? byAge : a.id().compareTo(b.id());
      };

  private static Instant age(Gang gang) {
    return gang.spec().map(spec -> spec.createdAt()).orElse(Instant.MAX);
  }
}
