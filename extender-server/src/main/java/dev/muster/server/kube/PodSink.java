package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/// Tells what pods say, and what is wrong with it.
record PodSink(PodCodec codec, Facts facts, Problems problems) implements Watched.Sink<Pod> {
  @Override
  public void seen(String key, Pod pod) {
    PodFact fact = codec.read(pod);
    facts.pod(key, fact);
    problems.note("pod/" + key, problem(fact));
  }

  private static Optional<Problem> problem(PodFact fact) {
    return switch (fact) {
      case PodFact.Ours(_, _, var problem) -> problem;
      case PodFact.Unreadable(var problem) -> Optional.of(problem);
      case PodFact.Stranger _, PodFact.Nothing _ -> Optional.empty();
    };
  }

  @Override
  public void gone(String key) {
    facts.pod(key, new PodFact.Nothing());
    problems.note("pod/" + key, Optional.empty());
  }
}
