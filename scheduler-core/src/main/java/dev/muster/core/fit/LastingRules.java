package dev.muster.core.fit;

import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Taint;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import java.util.List;
import java.util.Optional;

/// The rules whose vetoes do not depend on the pods on a node. They read only the node's own
/// properties, so a veto holds even for an empty node. The cheapest rules come first. The size rule
/// comes last, so that "too small" is reported only for nodes that match otherwise.
public final class LastingRules {
  /// A check whether a node may take members with these conditions.
  @FunctionalInterface
  private interface Rule {
    Verdict check(MemberRequirements ask, Node node);
  }

  private static final List<Rule> RULES =
      List.of(
          LastingRules::cordoned,
          LastingRules::faulty,
          LastingRules::model,
          LastingRules::whole,
          LastingRules::labelled,
          LastingRules::tainted,
          LastingRules::selected,
          LastingRules::big);

  /// Labels on all nodes with GPUs whose value says if the GPUs are slices or shares.
  private static final List<String> TELLING_LABELS =
      List.of(
          "nvidia.com/gpu.product", "nvidia.com/gpu.sharing-strategy", "nvidia.com/mig.strategy");

  /// Labels that only nodes with slices or shares of GPUs have.
  private static final List<String> PART_LABELS =
      List.of(
          "cloud.google.com/gke-gpu-sharing-strategy",
          "cloud.google.com/gke-max-shared-clients-per-gpu",
          "cloud.google.com/gke-gpu-partition-size");

  /// The taint of a cordoned node; it counts even before the node has it.
  private static final Taint UNSCHEDULABLE =
      new Taint("node.kubernetes.io/unschedulable", "", Taint.Effect.NO_SCHEDULE);

  private LastingRules() {}

  /// Returns the veto of the first rule that refuses, if any.
  public static Optional<Veto> veto(MemberRequirements ask, Node node) {
    for (Rule rule : RULES) {
      if (rule.check(ask, node) instanceof Verdict.Vetoed(Veto veto)) {
        return Optional.of(veto);
      }
    }
    return Optional.empty();
  }

  // Pods of a DaemonSet tolerate the taint, and kube-scheduler lets them run on a cordoned node.
  private static Verdict cordoned(MemberRequirements ask, Node node) {
    return node.cordoned() && ask.request().selection().isKeptAwayBy(UNSCHEDULABLE)
        ? Verdict.no(new Veto.Cordoned())
        : Verdict.FITS;
  }

  private static Verdict faulty(MemberRequirements ask, Node node) {
    return node.faults().isEmpty()
        ? Verdict.FITS
        : Verdict.no(new Veto.Faulty(node.faults().getFirst()));
  }

  private static Verdict big(MemberRequirements ask, Node node) {
    if (ask.request().gpuMilli() > 0 && node.gpus() == 0) {
      return Verdict.no(new Veto.NodeTooSmall("GPU", 1, 0));
    }
    String tooSmall = node.allocatable().firstShort(ask.request().resources());
    return tooSmall == null
        ? Verdict.FITS
        : Verdict.no(
            new Veto.NodeTooSmall(
                tooSmall,
                ask.request().resources().get(tooSmall),
                node.allocatable().get(tooSmall)));
  }

  private static Verdict model(MemberRequirements ask, Node node) {
    return !ask.request().wantsGpu() || ask.gpus().accepts(node.model().name())
        ? Verdict.FITS
        : Verdict.no(new Veto.WrongModel(ask.gpus().models(), node.model().toString()));
  }

  // Some nodes offer slices and shares under the resource name of whole GPUs. Only pods that name
  // slices or shares explicitly get them.
  private static Verdict whole(MemberRequirements ask, Node node) {
    GpuModel model = node.model();
    return !ask.request().wantsGpu() || model.kind() == GpuModel.Kind.WHOLE || names(ask, node)
        ? Verdict.FITS
        : Verdict.no(new Veto.NotWholeGpus(model.kind()));
  }

  private static boolean names(MemberRequirements ask, Node node) {
    NodeSelection selection = ask.request().selection();
    return ask.gpus().models().contains(node.model().name())
        || selection.all().stream().anyMatch(LastingRules::asksForParts)
        || anyHolds(selection.anyOf(), node, true)
        || ask.request().resources().asMap().keySet().stream().anyMatch(LastingRules::isPart);
  }

  // A requirement that excludes a value, or names the value of whole GPUs, does not ask for parts.
  private static boolean asksForParts(Requirement requirement) {
    return switch (requirement.operator()) {
      case IN ->
          PART_LABELS.contains(requirement.key())
              || (TELLING_LABELS.contains(requirement.key())
                  && !requirement.values().equals(List.of("none")));
      case EXISTS, GT, LT -> PART_LABELS.contains(requirement.key());
      case NOT_IN, DOES_NOT_EXIST -> false;
    };
  }

  private static boolean isPart(String resource) {
    return resource.startsWith("nvidia.com/mig-") || resource.endsWith(".shared");
  }

  private static Verdict labelled(MemberRequirements ask, Node node) {
    return ask.label().isEmpty() || node.liesIn(ask.label().get())
        ? Verdict.FITS
        : Verdict.no(new Veto.Unlabelled(ask.label().get()));
  }

  private static Verdict tainted(MemberRequirements ask, Node node) {
    for (Taint taint : node.taints()) {
      if (ask.request().selection().isKeptAwayBy(taint)) {
        return Verdict.no(new Veto.Tainted(taint));
      }
    }
    return Verdict.FITS;
  }

  private static Verdict selected(MemberRequirements ask, Node node) {
    NodeSelection selection = ask.request().selection();
    List<Requirement> all = selection.all();
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).holdsFor(node.value(all.get(i).key()))) {
        return Verdict.no(new Veto.Unselected(selection, i));
      }
    }
    List<List<Requirement>> anyOf = selection.anyOf();
    return anyOf.isEmpty() || anyHolds(anyOf, node, false)
        ? Verdict.FITS
        : Verdict.no(new Veto.Unselected(selection, all.size()));
  }

  /// True if the node satisfies one of the terms. Loops, since streams allocate at each term of
  /// each node.
  ///
  /// @param forParts true if only terms count that ask for parts of GPUs
  private static boolean anyHolds(List<List<Requirement>> terms, Node node, boolean forParts) {
    for (List<Requirement> term : terms) {
      if ((!forParts || term.stream().anyMatch(LastingRules::asksForParts)) && holds(term, node)) {
        return true;
      }
    }
    return false;
  }

  // A term without requirements matches no node, as in Kubernetes.
  private static boolean holds(List<Requirement> term, Node node) {
    for (Requirement requirement : term) {
      if (!requirement.holdsFor(node.value(requirement.key()))) {
        return false;
      }
    }
    return !term.isEmpty();
  }
}
