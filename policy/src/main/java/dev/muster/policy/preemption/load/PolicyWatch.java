package dev.muster.policy.preemption.load;

import dev.muster.core.decision.MessageLimit;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.FailureText;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.yaml.FileProblem;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Keeps a policy in step with its files while they change.
///
/// - **Goals:** a valid change takes effect within seconds; a wrong one never does, and is
///   reported.
/// - **Constraints:** a mounted ConfigMap changes by swapping a symbolic link, which file
///   notifications miss. Files that are copied one by one may be seen half-way.
/// - **Algorithm:** every few seconds all files are read and compared with the bytes last seen.
///   Changed files are judged as one policy when two readings in a row agree. A valid policy
///   replaces the one in force; otherwise that stays. The listener gets the result in both cases.
/// - **Example:** `rules` gains a line with a typing error: the old policy stays in force, and
///   [#status] has the problem with its line until the file is corrected.
public final class PolicyWatch implements Supplier<PreemptionPolicy>, AutoCloseable {
  private final Path place;
  private final PolicyLoader loader;
  private final Consumer<Status> listener;
  private final InstantSource clock;
  private volatile PreemptionPolicy inForce = PreemptionPolicy.OFF;
  private volatile Status status;
  private PolicySources judged;
  private PolicySources seen;
  private volatile boolean closed;

  /// The result of the newest files.
  ///
  /// @param revision the policy in force
  /// @param loadedAt time since which it is in force
  /// @param checkedAt time when the newest files were judged
  /// @param problems first problems of the newest files, and one that has the number of others; if
  ///   empty, the files are in force
  public record Status(
      String revision, Instant loadedAt, Instant checkedAt, List<FileProblem> problems) {
    /// A file can have as many problems as it has words. All of them would fill each log line and
    /// answer about the policy.
    private static final int MOST_PROBLEMS = 20;

    public Status {
      problems = first(problems);
    }

    private static List<FileProblem> first(List<FileProblem> problems) {
      List<FileProblem> first =
          new ArrayList<>(problems.stream().limit(MOST_PROBLEMS).map(Status::cut).toList());
      int more = problems.size() - first.size();
      if (more > 0) {
        first.add(
            FileProblem.ofFile(
                problems.get(MOST_PROBLEMS).file(),
                "%,d more problems. `muster policy validate` prints all.".formatted(more)));
      }
      return List.copyOf(first);
    }

    private static FileProblem cut(FileProblem problem) {
      return new FileProblem(
          problem.file(),
          problem.line(),
          problem.column(),
          MessageLimit.cut(problem.field()),
          MessageLimit.cut(problem.message()));
    }

    /// True if the newest files are in force.
    public boolean isGood() {
      return problems.isEmpty();
    }
  }

  private PolicyWatch(
      Path place, PolicyLoader loader, Consumer<Status> listener, InstantSource clock) {
    this.place = place;
    this.loader = loader;
    this.listener = listener;
    this.clock = clock;
    this.seen = PolicySources.of(place);
    this.judged = seen;
    Instant now = clock.instant();
    this.status = new Status("", now, now, List.of());
    judge(seen);
  }

  /// Returns a watch that has read the files once.
  ///
  /// Until they are valid, nothing is preempted. The watch is passive until [#poll] or
  /// [start][#every] is called.
  ///
  /// @param place a file or a folder
  /// @param listener receives the result of changed files, on the polling thread
  public static PolicyWatch of(
      Path place, PolicyLoader loader, Consumer<Status> listener, InstantSource clock) {
    return new PolicyWatch(place, loader, listener, clock);
  }

  /// Polls on a thread of its own until this watch is closed.
  public PolicyWatch every(Duration pause) {
    Thread.ofVirtual().name("policy-watch").start(() -> run(pause));
    return this;
  }

  private void run(Duration pause) {
    try {
      while (!closed) {
        Thread.sleep(pause);
        pollWhateverHappens();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Polls and survives exceptions of the listener, so that the next change is not missed.
  ///
  /// The judgement of the files already holds when the listener is called.
  private void pollWhateverHappens() {
    try {
      poll();
    } catch (RuntimeException | Error bug) {
      Thread here = Thread.currentThread();
      here.getUncaughtExceptionHandler().uncaughtException(here, bug);
    }
  }

  /// Reads the files once.
  ///
  /// @return true if changed files were judged
  public synchronized boolean poll() {
    PolicySources now = PolicySources.of(place);
    boolean settled = same(now, seen);
    seen = now;
    if (!settled || same(now, judged)) {
      return false;
    }
    judge(now);
    listener.accept(status);
    return true;
  }

  private void judge(PolicySources sources) {
    judged = sources;
    Instant now = clock.instant();
    switch (loaded(sources)) {
      case Loaded.Valid<PreemptionPolicy>(PreemptionPolicy policy, String revision) -> {
        inForce = policy;
        status = new Status(revision, now, now, List.of());
      }
      case Loaded.Invalid<PreemptionPolicy>(List<FileProblem> problems) ->
          status = new Status(status.revision(), status.loadedAt(), now, problems);
    }
  }

  // A plug-in may throw anything, which must not end the watch.
  private Loaded<PreemptionPolicy> loaded(PolicySources sources) {
    try {
      return loader.load(sources);
    } catch (RuntimeException | Error failed) {
      String message = "cannot be loaded: " + FailureText.of(failed) + ".";
      return new Loaded.Invalid<>(List.of(FileProblem.ofFile(place.toString(), message)));
    }
  }

  private static boolean same(PolicySources one, PolicySources other) {
    return one.problems().equals(other.problems()) && same(one.contents(), other.contents());
  }

  private static boolean same(
      SequencedMap<String, byte[]> one, SequencedMap<String, byte[]> other) {
    if (!List.copyOf(one.keySet()).equals(List.copyOf(other.keySet()))) {
      return false;
    }
    Iterator<Map.Entry<String, byte[]>> others = other.entrySet().iterator();
    return one.values().stream()
        .allMatch(content -> Arrays.equals(content, others.next().getValue()));
  }

  /// Returns the policy in force.
  @Override
  public PreemptionPolicy get() {
    return inForce;
  }

  /// Returns the result of the newest files.
  public Status status() {
    return status;
  }

  @Override
  public void close() {
    closed = true;
  }
}
