package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.ObjectProblem;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The current problems of invalid objects. Each is reported once, and again if it changes. A
/// process that does not lead reports them when it becomes the leader.
///
/// Of many objects with equal problems, such as the pods of one gang, [#AT_MOST] are reported.
public final class ObjectProblems {
  private static final Logger log = LoggerFactory.getLogger(ObjectProblems.class);

  static final int AT_MOST = 16;

  private final Map<String, Integer> toldInScope = new ConcurrentHashMap<>();
  private final Map<String, ObjectProblem> told = new ConcurrentHashMap<>();
  private final Map<String, ObjectProblem> untold = new ConcurrentHashMap<>();
  private final BooleanSupplier leads;
  private final Consumer<ObjectProblem> reporter;

  public ObjectProblems(BooleanSupplier leads, Consumer<ObjectProblem> reporter) {
    this.leads = leads;
    this.reporter = reporter;
  }

  /// Records the problem of an object, or that it has none. The key is unique over all kinds.
  void note(String key, Optional<ObjectProblem> problem) {
    if (problem.isPresent()) {
      untold.put(key, problem.get());
      report();
    } else {
      untold.remove(key);
      count(told.remove(key), -1);
    }
  }

  /// Reports the unreported problems if this process leads.
  public void report() {
    if (!untold.isEmpty() && leads.getAsBoolean()) {
      untold.forEach(this::report);
    }
  }

  private void report(String key, ObjectProblem problem) {
    if (!untold.remove(key, problem)) {
      return;
    }
    ObjectProblem before = told.put(key, problem);
    count(before, -1);
    count(problem, 1);
    if (!problem.equals(before) && toldInScope.getOrDefault(problem.scope(), 0) <= AT_MOST) {
      log.warn("{}: {}", problem.object(), problem.message());
      reporter.accept(problem);
    }
  }

  private void count(@Nullable ObjectProblem problem, int more) {
    if (problem != null && !problem.scope().isEmpty()) {
      toldInScope.compute(
          problem.scope(),
          (_, before) -> {
            int now = (before == null ? 0 : before) + more;
            return now == 0 ? null : now;
          });
    }
  }
}
