package dev.muster.core.decision;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The text of reasons: a stable CamelCase token for searches and alerts, and sentences with
/// numbers. No other class turns reasons into text. Equal vetoes give equal bytes.
public final class ReasonText {
  private static final int SCHEDULERS_TOLD = 3;

  private ReasonText() {}

  /// Returns the stable token of a veto.
  public static String token(Veto veto) {
    return switch (veto) {
      case Veto.Cordoned _ -> "NodeCordoned";
      case Veto.Faulty _ -> "NodeUnhealthy";
      case Veto.Tainted _ -> "UntoleratedTaint";
      case Veto.NotSelected _, Veto.Unselected _ -> "NodeNotSelected";
      case Veto.WrongModel _ -> "WrongGpuModel";
      case Veto.NotWholeGpus _ -> "NotWholeGpus";
      case Veto.Unlabelled _ -> "MissingTopologyLabel";
      case Veto.NodeTooSmall _ -> "NodeTooSmall";
      case Veto.TooLittleFree _ -> "TooLittleFree";
      case Veto.Promised _ -> "ReservedForOther";
      case Veto.MateOnNode _ -> "MateOnNode";
      case Veto.RefusedBefore _ -> "RefusedByKubeScheduler";
      case Veto.PlacesAvoided _ -> "AvoidedNodes";
      case Veto.NoPodGroup _ -> "PodGroupMissing";
      case Veto.Unreadable _ -> "InvalidSpecification";
      case Veto.TooFewMembers _ -> "WaitingForMembers";
      case Veto.GatheringTimedOut _ -> "GatheringTimedOut";
      case Veto.UnknownLevel _ -> "UnknownTopologyLevel";
      case Veto.NoMatchingNodes _ -> "NoMatchingNodes";
      case Veto.TooBig _,
          Veto.TooBigForModels _,
          Veto.NeverFits _,
          Veto.SlicesTooWide _,
          Veto.MatesApart _ ->
          "ImpossibleRequest";
      case Veto.NotEnoughFree _, Veto.MatesLeaving _ -> "WaitingForCapacity";
      case Veto.NoDomainHolds _, Veto.NoModelInDomainHolds _, Veto.TooFewSlices _ ->
          "TopologyUnsatisfied";
      case Veto.NoModelHolds _ -> "NoModelHasRoom";
      case Veto.Fragmented _, Veto.TooFewPlaces _, Veto.NotTogether _ -> "Fragmented";
      case Veto.NotBoundInTime _ -> "NotBoundInTime";
      case Veto.RecordRefused _ -> "RecordRefused";
      case Veto.StartRefused _ -> "StartRefused";
      case Veto.WouldDelay _ -> "WouldDelayOther";
      case Veto.UnknownQueue _ -> "UnknownQueue";
      case Veto.QueueForbidden _ -> "QueueForbidden";
      case Veto.TooBigForQueue _ -> "TooBigForQueue";
      case Veto.OverQuota _ -> "QuotaExhausted";
      case Veto.BudgetSpent _ -> "BudgetSpent";
    };
  }

  /// Returns the text of a veto, with its numbers.
  public static String sentence(Veto veto) {
    return MessageLimit.cut(text(veto));
  }

  private static String text(Veto veto) {
    return switch (veto) {
      case Veto.Cordoned _ -> "The node is cordoned.";
      case Veto.Faulty(String fault) -> "The node is unhealthy: %s.".formatted(fault);
      case Veto.Tainted(var taint) ->
          "The node has the taint %s, which is not tolerated.".formatted(taint);
      case Veto.NotSelected(String requirement) ->
          "The node does not satisfy %s.".formatted(requirement);
      case Veto.Unselected unselected ->
          "The node does not satisfy %s.".formatted(unselected.requirement());
      case Veto.WrongModel(var asked, String found) ->
          "The node has %s; requested: %s.".formatted(found, String.join(" or ", asked));
      case Veto.NotWholeGpus(var kind) ->
          "The node offers %s, not whole GPUs.".formatted(pieces(kind));
      case Veto.Unlabelled(String label) -> "The node lacks the label %s.".formatted(label);
      case Veto.NodeTooSmall(String resource, long asked, long has) ->
          "One member needs %s; the node has %s."
              .formatted(amount(resource, asked), amount(resource, has));
      case Veto.TooLittleFree(String resource, long asked, long free) ->
          "One member needs %s; free on the node: %s."
              .formatted(amount(resource, asked), amount(resource, free));
      case Veto.Promised(String resource, long asked, long free) ->
          "One member needs %s; free on the node after promises to starting gangs: %s."
              .formatted(amount(resource, asked), amount(resource, free));
      case Veto.MateOnNode _ -> "Another member that needs a node of its own is on the node.";
      case Veto.RefusedBefore _ -> "Members of this gang recently failed on this node.";
      case Veto.PlacesAvoided(int nodes, var first, var cause, var until, var message) ->
          "It fits only with nodes that it avoids for a time (%s). %s It is tried again at %s."
              .formatted(
                  nodes == 1 ? first : "%s and %d more".formatted(first, nodes - 1),
                  StartFailureText.failed(first, cause, message),
                  until);
      case Veto.NoPodGroup(int pods) -> undeclared(pods, "this gang", "no PodGroup declares it");
      case Veto.Unreadable(var mistakes) ->
          mistakes.orElse("Invalid label or annotation; see the pod's Event InvalidSpecification.");
      case Veto.TooFewMembers(int present, int minCount, int held) ->
          (present + held < minCount
                  ? "%d of %d members exist; %d more must be created before any starts."
                      .formatted(present + held, minCount, minCount - present - held)
                  : "%d of %d members may start.".formatted(present, minCount))
              + heldByOthers(held);
      case Veto.GatheringTimedOut(int present, int minCount, var after) ->
          "After %s only %d of %d members exist. See the quota and the events of the job."
              .formatted(duration(after), present, minCount);
      case Veto.UnknownLevel(String level, var known) ->
          "The topology level %s is not known.%s".formatted(level, known(known));
      case Veto.SlicesTooWide(String level, String required, var narrower) ->
          "Slices inside one %s cannot lie inside one %s together. Use %s for the slices."
              .formatted(level, required, String.join(" or ", narrower));
      case Veto.NoMatchingNodes(int nodes, var tally) ->
          nodes == 0
              ? "The cluster has no nodes."
              : "0 of %s match: %s.".formatted(count(nodes, "node"), tally(tally));
      case Veto.MatesLeaving(int leaving, int nodes) ->
          "Each member needs a node of its own. On %d of %s an earlier pod of the gang still terminates; no other node takes one."
              .formatted(leaving, count(nodes, "node"));
      case Veto.TooBig(String level, long asked, long largest) ->
          level.equals("node")
              ? "Needs %s on one node; the largest matching node has %d."
                  .formatted(gpus(asked), largest)
              : level.equals("cluster")
                  ? "Needs %s; the matching nodes have %d in total.".formatted(gpus(asked), largest)
                  : "Needs %s in one %s; the largest has %d."
                      .formatted(gpus(asked), level, largest);
      case Veto.TooBigForModels(String level, String best, long asked, long largest) ->
          "Needs %s of one model%s; the best, %s, has %d. A mix of models is not allowed (muster.dev/mix-gpu-models)."
              .formatted(
                  gpus(asked),
                  level.equals("cluster") ? "" : " in one " + level,
                  shown(best),
                  largest);
      case Veto.NeverFits(Veto whenEmpty) ->
          "There is no place even when all nodes are empty. " + sentence(whenEmpty);
      case Veto.MatesApart(String level) ->
          "The placed members must be in one %s, but are not. Check for changed node labels."
              .formatted(level);
      case Veto.NotEnoughFree(String resource, long asked, long free) ->
          "Needs %s; free on matching nodes: %s."
              .formatted(amount(resource, asked), amount(resource, free));
      case Veto.NoDomainHolds(String level, String best, long asked, long free) ->
          level.equals("node") // its owner may not be allowed to list nodes
              ? "Needs %s on one node; the best has %d free.".formatted(gpus(asked), free)
              : "Needs %s in one %s; the best, %s, has %d free."
                  .formatted(gpus(asked), level, best, free);
      case Veto.NoModelHolds(String best, long asked, long free) ->
          "Needs %s of one model; the best, %s, has %d free. A mix of models is not allowed (muster.dev/mix-gpu-models)."
              .formatted(gpus(asked), shown(best), free);
      case Veto.NoModelInDomainHolds(
              String level,
              String best,
              String model,
              long asked,
              long free) ->
          "Needs %s of one model in one %s; the best, %s with %s, has %d free."
              .formatted(gpus(asked), level, best, shown(model), free);
      case Veto.TooFewPlaces(var seats, var where, long places) ->
          "%s; %s.".formatted(PlaceText.needs(seats, where), PlaceText.has(where, places, "place"));
      case Veto.TooFewSlices(int slices, String level, var seats, var where, long fitting) ->
          "%s; %s."
              .formatted(
                  PlaceText.needs(slices, level, seats, where),
                  PlaceText.has(where, fitting, "slice"));
      case Veto.NotTogether(int members, int kinds, String level, boolean proven) ->
          PlaceText.apart(members, kinds, level, proven);
      case Veto.Fragmented(int members, int each, long free, int nodes, long largest) ->
          "%s free on %s, but at most %d on one node; needs %s."
              .formatted(isAre(free), count(nodes, "node"), largest, shape(members, each));
      case Veto.NotBoundInTime(var after, int bound, int minCount, var refusal) ->
          "After %s only %d of %d members were bound. The gang was released and waits again.%s"
              .formatted(
                  duration(after),
                  bound,
                  minCount,
                  refusal.map(said -> " " + StartFailureText.sentence(said)).orElse(""));
      case Veto.RecordRefused(String problem, var again) ->
          "Its nodes cannot be recorded on its PodGroup: %s. Make space in its annotations, or lift the rule that forbids the change. It is tried again at %s."
              .formatted(problem, again);
      case Veto.StartRefused(String problem, var again) ->
          "%s. Lift the quota or the rule that forbids it, or create the pods again. It is tried again at %s."
              .formatted(problem, again);
      case Veto.WouldDelay(var planned, var start) -> PlaceText.delay(planned.toString(), start);
      case Veto.UnknownQueue(String queue, var known) ->
          "The queue %s is not known.%s".formatted(queue, known(known));
      case Veto.QueueForbidden(String queue, String namespace) ->
          "The queue %s does not accept gangs of the namespace %s.".formatted(queue, namespace);
      case Veto.TooBigForQueue(String queue, String model, long asked, long max) ->
          "Needs %s; the queue %s may use at most %d.".formatted(gpus(asked, model), queue, max);
      case Veto.OverQuota(String queue, String model, long asked, long used, long limit) ->
          "Needs %s; the queue %s uses %d and may use %d now."
              .formatted(gpus(asked, model), queue, used, limit);
      case Veto.BudgetSpent(var budget) ->
          "The budget of the %s is spent: %d of %d GPU-hours are used. Its next period begins at %s."
              .formatted(budget.owner(), budget.usedGpuHours(), budget.gpuHours(), budget.until());
    };
  }

  /// Returns the text of a veto for the pods of the gang. It contains the gang's name and namespace
  /// where one of them may be wrong.
  public static String sentence(Veto veto, GangId gang) {
    return veto instanceof Veto.NoPodGroup(int pods)
        ? undeclared(
            pods,
            "the gang " + gang.name(),
            "the namespace %s has no such PodGroup".formatted(gang.namespace()))
        : sentence(veto);
  }

  /// Returns the text for a reader who may see only these gangs. Others are not named.
  public static String sentence(Veto veto, GangId gang, Predicate<GangId> seen) {
    return veto instanceof Veto.WouldDelay(var planned, var start) && !seen.test(planned)
        ? PlaceText.delay("another gang", start)
        : sentence(veto, gang);
  }

  /// Returns the text about the objects of a gang that do not count; empty if there are none.
  ///
  /// @param declared whether an earlier form of its declaration counts
  public static String ignored(Discrepancies objects, boolean declared) {
    List<String> sentences = new ArrayList<>();
    if (declared) {
      objects
          .declaration()
          .ifPresent(mistakes ->
              sentences.add(
                  "Its present form is invalid, so the earlier form counts. " + mistakes));
    }
    objects.schedulers().entrySet().stream()
        .limit(SCHEDULERS_TOLD)
        .map(pods ->
            "%s it, but %s to %s, which does not ask Muster."
                .formatted(
                    names(pods.getValue()),
                    pods.getValue() == 1 ? "belongs" : "belong",
                    pods.getKey()))
        .forEach(sentences::add);
    objects
        .invalidPod()
        .ifPresent(mistakes ->
            sentences.add(
                "%s it, but %s invalid. %s"
                    .formatted(
                        names(objects.invalidPods()),
                        objects.invalidPods() == 1 ? "is" : "are",
                        mistakes)));
    return MessageLimit.cut(String.join(" ", sentences));
  }

  private static String names(int pods) {
    return count(pods, "pod") + (pods == 1 ? " names" : " name");
  }

  private static String undeclared(int pods, String gang, String problem) {
    return "%s %s, but %s. Check the name and the namespace.".formatted(names(pods), gang, problem);
  }

  /// Returns the name of a GPU model.
  static String shown(String model) {
    return model.isEmpty() ? "unlabelled" : model;
  }

  private static String known(List<String> known) {
    return known.isEmpty() ? "" : " Known: %s.".formatted(String.join(", ", known));
  }

  private static String gpus(long count, String model) {
    return model.isEmpty() ? gpus(count) : count + " " + model;
  }

  /// Returns the number of refusing nodes by reason, most first: `28 WrongGpuModel, 8
  /// UntoleratedTaint`.
  public static String tally(SortedTable<String, Veto.Count> tally) {
    return MessageLimit.cut(
        Explanation.byFrequency(tally).stream()
            .map(c -> "%d %s (%s)".formatted(c.nodes(), token(c.example()), example(c.example())))
            .collect(Collectors.joining(", ")));
  }

  private static String example(Veto veto) {
    String sentence = sentence(veto);
    return sentence.substring(0, sentence.length() - 1);
  }

  private static String heldByOthers(int held) {
    return held == 0 ? "" : " Another scheduling gate holds %s.".formatted(count(held, "pod"));
  }

  private static String pieces(GpuModel.Kind kind) {
    return switch (kind) {
      case WHOLE -> "whole GPUs";
      case SLICE -> "slices of GPUs (MIG)";
      case SHARED -> "shares of GPUs";
    };
  }

  private static String shape(int members, int each) {
    return members == 1
        ? gpus(each) + " on one node"
        : "%d members of up to %s each".formatted(members, gpus(each));
  }

  private static String isAre(long gpus) {
    return gpus(gpus) + (gpus == 1 ? " is" : " are");
  }

  static String gpus(long count) {
    return count + (count == 1 ? " GPU" : " GPUs");
  }

  static String count(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  /// Returns an amount of a resource in its usual unit: `16 cpu`, `64Gi memory`, `8
  /// nvidia.com/gpu`.
  public static String amount(String resource, long amount) {
    return switch (resource) {
      case Resources.CPU ->
          (amount % 1000 == 0 ? String.valueOf(amount / 1000) : amount + "m") + " cpu";
      case Resources.MEMORY -> bytes(amount) + " memory";
      default -> amount + " " + resource;
    };
  }

  private static String bytes(long bytes) {
    long mib = bytes >> 20;
    return mib >= 1024 && mib % 1024 == 0 ? (mib >> 10) + "Gi" : mib + "Mi";
  }

  /// Returns the duration in whole seconds, or exactly if it is shorter than a second.
  static String duration(Duration duration) {
    Duration shown =
        duration.toSeconds() == 0 ? duration : duration.truncatedTo(ChronoUnit.SECONDS);
    return shown.toString().substring(2).toLowerCase(Locale.ROOT);
  }
}
