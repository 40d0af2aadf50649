package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.logging.LogThrottle;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The current problems of invalid objects. Each is reported once, and again if it changes. A
/// process that does not lead reports them when it becomes the leader.
///
/// Of many objects with equal problems, such as the pods of one gang, [#AT_MOST] are reported.
///
/// Tenants cause the reports, so each namespace has an allowance: [#AT_MOST] at once, and one more
/// each second. Other problems wait, in the order of their objects. A problem that is solved or
/// changes meanwhile is never reported.
public final class ObjectProblems {
  private static final Logger log = LoggerFactory.getLogger(ObjectProblems.class);

  static final int AT_MOST = 16;

  private final Map<String, Integer> toldInScope = new HashMap<>();
  private final Map<String, ObjectProblem> told = new HashMap<>();

  /// The namespaces with unreported problems, or without their full allowance.
  private final Map<String, Line> lines = new HashMap<>();

  /// The namespace of each unreported problem: the key of an object does not tell it.
  private final Map<String, Line> lineOf = new HashMap<>();

  private final LogThrottle throttle = new LogThrottle();
  private final BooleanSupplier leads;
  private final Consumer<ObjectProblem> reporter;

  /// The unreported problems of a namespace.
  private static final class Line {
    private final Map<String, ObjectProblem> untold = new LinkedHashMap<>();
    private int allowance = AT_MOST;

    boolean isOver() {
      return untold.isEmpty() && allowance >= AT_MOST;
    }
  }

  public ObjectProblems(BooleanSupplier leads, Consumer<ObjectProblem> reporter) {
    this.leads = leads;
    this.reporter = reporter;
  }

  /// Records the problem of an object, or that it has none. The key is unique over all kinds.
  synchronized void note(String key, Optional<ObjectProblem> problem) {
    Line waiting = lineOf.get(key);
    if (problem.isEmpty()) {
      count(told.remove(key), -1);
    }
    if (problem.isEmpty() || problem.get().equals(told.get(key))) {
      if (waiting != null) {
        waiting.untold.remove(key);
        lineOf.remove(key);
      }
      return;
    }
    String namespace = problem.get().object().namespace();
    Line line = lines.computeIfAbsent(namespace, _ -> new Line());
    line.untold.put(key, problem.get());
    lineOf.put(key, line);
    if (leads.getAsBoolean()) {
      report(namespace, line);
    }
  }

  /// Reports the unreported problems that the allowances permit, if this process leads. To be
  /// called every second.
  public synchronized void report() {
    if (lines.isEmpty() || !leads.getAsBoolean()) {
      return;
    }
    lines.forEach(this::report);
    lines.values().forEach(line -> line.allowance++);
    lines.values().removeIf(Line::isOver);
  }

  private void report(String namespace, Line line) {
    Iterator<Map.Entry<String, ObjectProblem>> untold = line.untold.entrySet().iterator();
    while (line.allowance > 0 && untold.hasNext()) {
      Map.Entry<String, ObjectProblem> next = untold.next();
      untold.remove();
      lineOf.remove(next.getKey());
      if (isReported(next.getKey(), next.getValue())) {
        line.allowance--;
      }
    }
    if (untold.hasNext() && throttle.isNew(namespace)) {
      log.warn(
          "{} more problems of objects {} are reported later, one each second",
          line.untold.size(),
          namespace.isEmpty() ? "without a namespace" : "in namespace " + namespace);
    }
  }

  /// Reports the problem, unless enough equal ones are known; true if it was reported.
  private boolean isReported(String key, ObjectProblem problem) {
    count(told.put(key, problem), -1);
    count(problem, 1);
    boolean isNews = toldInScope.getOrDefault(problem.scope(), 0) <= AT_MOST;
    if (isNews) {
      log.warn("{}: {}", problem.object(), problem.message());
      reporter.accept(problem);
    }
    return isNews;
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
