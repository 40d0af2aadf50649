package dev.muster.server.kube;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects that make no sense now; each is told of once, until it changes its mistake. One who
/// does not lead tells nothing; when it leads it is told all of them again.
final class Problems {
  private static final Logger log = LoggerFactory.getLogger(Problems.class);

  private final Map<String, Problem> standing = new ConcurrentHashMap<>();
  private final BooleanSupplier leads;
  private final Consumer<Problem> reporter;

  Problems(BooleanSupplier leads, Consumer<Problem> reporter) {
    this.leads = leads;
    this.reporter = reporter;
  }

  /// The object under the key, unique over all kinds, has this problem or none.
  void note(String key, Optional<Problem> problem) {
    if (problem.isEmpty()) {
      standing.remove(key);
    } else if (leads.getAsBoolean() && !problem.get().equals(standing.put(key, problem.get()))) {
      log.warn("{}: {}", problem.get().object(), problem.get().message());
      reporter.accept(problem.get());
    }
  }
}
