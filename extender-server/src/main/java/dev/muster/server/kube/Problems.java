package dev.muster.server.kube;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects that make no sense now; each is told of once, until it changes its mistake. One who
/// does not lead keeps it to itself until it does.
final class Problems {
  private static final Logger log = LoggerFactory.getLogger(Problems.class);

  private final Map<String, Problem> told = new ConcurrentHashMap<>();
  private final Map<String, Problem> untold = new ConcurrentHashMap<>();
  private final BooleanSupplier leads;
  private final Consumer<Problem> reporter;

  Problems(BooleanSupplier leads, Consumer<Problem> reporter) {
    this.leads = leads;
    this.reporter = reporter;
  }

  /// The object under the key, unique over all kinds, has this problem or none.
  void note(String key, Optional<Problem> problem) {
    if (problem.isPresent()) {
      untold.put(key, problem.get());
      tell();
    } else {
      untold.remove(key);
      told.remove(key);
    }
  }

  /// Tells what was not told yet, if this process leads.
  void tell() {
    if (!untold.isEmpty() && leads.getAsBoolean()) {
      untold.forEach(this::tell);
    }
  }

  private void tell(String key, Problem problem) {
    if (untold.remove(key, problem) && !problem.equals(told.put(key, problem))) {
      log.warn("{}: {}", problem.object(), problem.message());
      reporter.accept(problem);
    }
  }
}
