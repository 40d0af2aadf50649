package dev.muster.core.decision;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.AvoidedNodes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The text of failed starts: refusals of kube-scheduler, avoided nodes, and victims that do not
/// end. [ReasonText] uses it where such a failure is the reason to wait.
public final class StartFailureText {
  private StartFailureText() {}

  /// The beginning of a sentence with the words of kube-scheduler.
  private static final String REFUSAL = "kube-scheduler refuses ";

  /// Returns the words of kube-scheduler about a pod as a sentence.
  public static String sentence(Veto.Refusal said) {
    return "%s%s on %s: %s.".formatted(REFUSAL, said.pod().name(), said.node(), said.message());
  }

  /// True if the text contains words of kube-scheduler about a pod.
  public static boolean hasRefusal(String text) {
    return text.contains(REFUSAL);
  }

  /// Returns what failed on an avoided node, and until when it is avoided.
  public static String sentence(AvoidedNodes.Failures known) {
    return failed(known.node(), known.cause(), known.message())
        + known.until().map(at -> " It is avoided until %s.".formatted(at)).orElse("");
  }

  static String failed(NodeId node, AvoidedNodes.Cause cause, Optional<String> message) {
    return switch (cause) {
      case REFUSED ->
          "kube-scheduler refused a member on %s%s."
              .formatted(node, message.map(words -> ": " + words).orElse(""));
      case REJECTED -> "The kubelet of %s rejected a member.".formatted(node);
      case DIED -> "Members on %s died early.".formatted(node);
      case NOT_BOUND -> "A member was not bound to %s in time.".formatted(node);
    };
  }

  /// The number of pods that a sentence names.
  private static final int NAMED = 5;

  /// Returns the warning about pods that were to leave for a gang and do not end.
  public static String notEnding(List<Member> pods) {
    return "%s preempted for it, but %s not end: %s%s. Other gangs are preempted instead, if there are any."
        .formatted(
            ReasonText.count(pods.size(), "pod") + (pods.size() == 1 ? " was" : " were"),
            pods.size() == 1 ? "does" : "do",
            pods.stream()
                .limit(NAMED)
                .map(pod ->
                    "%s/%s%s"
                        .formatted(
                            pod.id().namespace(),
                            pod.id().name(),
                            pod.node().map(node -> " on " + node).orElse("")))
                .collect(Collectors.joining(", ")),
            pods.size() > NAMED ? ", ..." : "");
  }

  /// Returns the warning about a node on which several gangs failed.
  public static String warning(NodeId node, SortedKeys<GangId> gangs, AvoidedNodes.Failures last) {
    return "%d gangs of %s avoid the node %s because their members failed there. Last: %s"
        .formatted(
            gangs.size(),
            GangId.isOneNamespace(gangs)
                ? "the namespace " + gangs.asList().getFirst().namespace()
                : "several namespaces",
            node,
            failed(node, last.cause(), last.message()));
  }
}
