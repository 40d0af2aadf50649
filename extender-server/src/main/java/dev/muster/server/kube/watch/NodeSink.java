package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.NodeCodec;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Optional;

/// Passes on the facts and problems of nodes.
public record NodeSink(NodeCodec codec, ChangeFilter facts, ObjectProblems problems)
    implements ResourceWatch.Sink<Node> {
  @Override
  public void seen(String key, Node node) {
    switch (codec.read(node)) {
      case ReadResult.Good<dev.muster.core.node.Node>(var read) -> {
        facts.node(read);
        problems.note("node/" + key, codec.problem(node));
      }
      case ReadResult.Bad<dev.muster.core.node.Node>(ObjectProblem problem) ->
          problems.note("node/" + key, Optional.of(problem));
    }
  }

  @Override
  public void gone(String key) {
    facts.noNode(key);
    problems.note("node/" + key, Optional.empty());
  }
}
