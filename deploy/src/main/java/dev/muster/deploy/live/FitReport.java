package dev.muster.deploy.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.IntraNodeLinks;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Hint;
import dev.muster.core.decision.PlainText;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Prints the answers of [FitCheck] as text and as JSON.
final class FitReport {
  /// The version of the JSON.
  static final String VERSION = "muster-fit/v1";

  private FitReport() {}

  static void text(PrintWriter out, List<FitCheck.Answer> answers) {
    if (answers.isEmpty()) {
      out.println(
          "No pod of the file is scheduled by Muster: none requests GPUs or names a PodGroup.");
    }
    for (FitCheck.Answer answer : answers) {
      out.printf("%s %s%n", answer.gang(), headline(answer));
      byNode(answer.nodes())
          .forEach((node, pods) -> out.printf("  on %s: %s%n", node, String.join(", ", pods)));
      answer.links().forEach((pod, link) -> out.printf("  %s: %s%n", pod.name(), joined(link)));
      answer.preempt().ifPresent(preempt -> victims(out, preempt));
      if (answer.nodes().isEmpty()) {
        waits(out, answer);
      }
      answer
          .unchecked()
          .forEach(gpus ->
              out.printf(
                  "  not checked, no node is known to have some: %s%n", PlainText.line(gpus)));
    }
  }

  private static String joined(IntraNodeLinks link) {
    return link.gpus().isEmpty()
        ? "any choice of GPUs is joined by %d Mbit/s or more".formatted(link.mbps())
        : "its best GPUs there are %s, joined by %d Mbit/s"
            .formatted(
                String.join(", ", link.gpus().stream().map(String::valueOf).toList()), link.mbps());
  }

  private static String headline(FitCheck.Answer answer) {
    return switch (answer.verdict()) {
      case STARTS -> "starts now, %s:".formatted(count(answer.nodes().size(), "pod"));
      case STARTS_AFTER_EVICTIONS -> "starts after evictions.";
      case WAITS -> "waits.";
      case NEVER -> "never starts as it is.";
    };
  }

  private static String count(int count, String noun) {
    return "%d %s%s".formatted(count, noun, count == 1 ? "" : "s");
  }

  private static Map<String, List<String>> byNode(Map<MemberId, NodeId> nodes) {
    Map<String, List<String>> pods = new TreeMap<>();
    nodes.forEach(
        (pod, node) -> pods.computeIfAbsent(node.name(), _ -> new ArrayList<>()).add(pod.name()));
    return pods;
  }

  private static void victims(PrintWriter out, Decision.Preempt preempt) {
    for (Victim victim : preempt.victims()) {
      out.printf(
          "  %s %s: %s, by the rule %s; %d GPU-seconds of work are lost%n",
          preempt.enforced() ? "preempts" : "would preempt, if the policy were enforced,",
          victim.gang(),
          count(victim.members().size(), "pod"),
          victim.rule(),
          victim.lostWork());
    }
    out.printf(
        "  to start on %s%n",
        String.join(", ", preempt.nodes().stream().map(NodeId::name).toList()));
  }

  private static void waits(PrintWriter out, FitCheck.Answer answer) {
    out.printf("  %s: %s%n", answer.reason(), answer.message());
    if (answer.before() > 0) {
      out.printf("  Before it: %s.%n", count(answer.before(), "waiting gang"));
    }
    answer.sooner().forEach(hint -> out.printf("  %s%n", hint.sentence()));
  }

  static ObjectNode json(Instant at, List<FitCheck.Answer> answers) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("version", VERSION).put("at", at.toString());
    ArrayNode gangs = json.putArray("gangs");
    answers.forEach(answer -> gangs.add(json(answer)));
    return json;
  }

  private static ObjectNode json(FitCheck.Answer answer) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("namespace", answer.gang().namespace()).put("name", answer.gang().name());
    json.put("verdict", camel(answer.verdict()));
    ArrayNode members = json.putArray("members");
    answer
        .nodes()
        .forEach((pod, node) -> {
          ObjectNode member = members.addObject().put("pod", pod.name()).put("node", node.name());
          Optional.ofNullable(answer.links().get(pod))
              .ifPresent(link -> json(member.putObject("link"), link));
        });
    answer.preempt().ifPresent(preempt -> json.set("preemption", json(preempt)));
    answer.start().ifPresent(start -> json.put("plannedStart", start.toString()));
    if (answer.nodes().isEmpty()) {
      json.put("reason", answer.reason()).put("message", answer.message());
      json.put("before", answer.before());
      ArrayNode sooner = json.putArray("sooner");
      answer.sooner().stream().map(Hint::sentence).forEach(sooner::add);
    }
    answer.unchecked().forEach(json.putArray("unchecked")::add);
    return json;
  }

  private static void json(ObjectNode json, IntraNodeLinks link) {
    link.gpus().forEach(json.putArray("gpus")::add);
    json.put("mbps", link.mbps());
  }

  private static ObjectNode json(Decision.Preempt preempt) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("enforced", preempt.enforced()).put("revision", preempt.revision());
    ArrayNode nodes = json.putArray("nodes");
    preempt.nodes().forEach(node -> nodes.add(node.name()));
    ArrayNode victims = json.putArray("victims");
    for (Victim victim : preempt.victims()) {
      victims
          .addObject()
          .put("namespace", victim.gang().namespace())
          .put("name", victim.gang().name())
          .put("pods", victim.members().size())
          .put("rule", victim.rule())
          .put("lostGpuSeconds", victim.lostWork());
    }
    return json;
  }

  /// Returns `STARTS_AFTER_EVICTIONS` as `StartsAfterEvictions`.
  private static String camel(Enum<?> constant) {
    StringBuilder text = new StringBuilder();
    for (String word : constant.name().split("_", -1)) {
      text.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return text.toString();
  }
}
