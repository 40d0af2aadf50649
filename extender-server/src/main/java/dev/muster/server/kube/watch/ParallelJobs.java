package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.codec.ParallelJob;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The jobs with several unfinished pods that name no gang. Each gets one Event on the controller
/// of its pods, and one on its second pod.
final class ParallelJobs {
  private final ObjectProblems problems;
  private final Map<String, ParallelJob> jobOf = new HashMap<>();
  private final Map<String, Set<String>> pods = new HashMap<>();

  ParallelJobs(ObjectProblems problems) {
    this.problems = problems;
  }

  /// Records the job of the pod with this key, or that it has none.
  synchronized void note(String key, Optional<ObjectRef> pod, Optional<ParallelJob> job) {
    ParallelJob before = job.isPresent() ? jobOf.put(key, job.get()) : jobOf.remove(key);
    if (before != null && !job.map(ParallelJob::group).equals(Optional.of(before.group()))) {
      leave(key, before.group());
    }
    if (job.isEmpty() || pod.isEmpty()) {
      return;
    }
    Set<String> together = pods.computeIfAbsent(job.get().group(), _ -> new HashSet<>());
    if (together.add(key) && together.size() == 2) {
      String group = job.get().group();
      problems.note("job/" + group, Optional.of(job.get().hint(job.get().controller())));
      problems.note("job pod/" + group, Optional.of(job.get().hint(pod.get())));
    }
  }

  private void leave(String key, String group) {
    Set<String> left = pods.getOrDefault(group, new HashSet<>());
    left.remove(key);
    if (left.isEmpty()) {
      pods.remove(group);
      problems.note("job/" + group, Optional.empty());
      problems.note("job pod/" + group, Optional.empty());
    }
  }
}
