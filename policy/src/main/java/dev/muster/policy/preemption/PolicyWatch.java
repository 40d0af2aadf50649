package dev.muster.policy.preemption;

import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.policy.file.FileProblem;
import dev.muster.policy.file.Loaded;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Keeps a policy as its files say it while they change.
///
/// - **Goals:** a valid change takes effect within seconds; a wrong one never does, and shows.
/// - **Constraints:** a mounted ConfigMap changes by swapping a symbolic link, which file notices
///   miss, and files that are copied one by one may be seen half-way.
/// - **Algorithm:** every few seconds all files are read and their bytes compared with the last
///   ones seen. Changed files are taken when two readings in a row agree, and read as one policy.
///   If it is valid it replaces the one in force, else that stays. Both are told to the listener.
/// - **Example:** `rules` gains a line with a typing error: the old policy stays in force, and
///   [#status] has the problem with its line until the file is right.
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

  /// What came of the newest files.
  ///
  /// @param revision the policy in force
  /// @param loadedAt since when it is
  /// @param checkedAt when the newest files were judged
  /// @param problems what is wrong with the newest files; none: they are in force
  public record Status(
      String revision, Instant loadedAt, Instant checkedAt, List<FileProblem> problems) {
    public Status {
      problems = List.copyOf(problems);
    }

    /// Whether the newest files are in force.
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

  /// A watch that has read the files once; until they are valid nobody is stopped. It does nothing
  /// by itself: ask [#poll], or [start][#every].
  ///
  /// @param place a file or a folder
  /// @param listener told what came of changed files, by the thread that polls
  public static PolicyWatch of(
      Path place, PolicyLoader loader, Consumer<Status> listener, InstantSource clock) {
    return new PolicyWatch(place, loader, listener, clock);
  }

  /// Polls on a thread of its own until it is closed.
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

  /// What was judged is in force or not, whatever becomes of those who are told: the next change is
  /// not to be missed.
  private void pollWhateverHappens() {
    try {
      poll();
    } catch (RuntimeException | Error bug) {
      Thread here = Thread.currentThread();
      here.getUncaughtExceptionHandler().uncaughtException(here, bug);
    }
  }

  /// Looks at the files once.
  ///
  /// @return whether changed files were judged
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

  // A plug-in may throw anything; that must not end the watch.
  private Loaded<PreemptionPolicy> loaded(PolicySources sources) {
    try {
      return loader.load(sources);
    } catch (RuntimeException | Error failed) {
      String message = "cannot be judged: " + failed + ". Maybe a plug-in is broken.";
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

  /// The policy in force.
  @Override
  public PreemptionPolicy get() {
    return inForce;
  }

  /// What came of the newest files.
  public Status status() {
    return status;
  }

  @Override
  public void close() {
    closed = true;
  }
}
